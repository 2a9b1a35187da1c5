/* MICRO run_chan_array: run chan array */
typedef T { byte a; bool b };
proctype C(T t; chan c) { c!t.a; assert(t.b) }
init { T t; chan c = [0] of { byte }; byte x; t.a = 4; t.b = true; run C(t, c); c?x; assert(x == 4) }
