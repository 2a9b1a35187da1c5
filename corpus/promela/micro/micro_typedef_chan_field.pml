/* MICRO typedef_chan_field: typedef chan field */
typedef P { chan q = [2] of { byte, bool }; short s }
P p;
active proctype A() { p.q!1,true; p.q!2,false; p.s = -1 }
active proctype B() { byte x; bool b; p.q?x,b; p.q?x(b); assert(!b && x == 2) }
