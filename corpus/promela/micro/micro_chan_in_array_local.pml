/* MICRO chan_in_array_local: chan in array local */
proctype P(byte k) { chan c[2] = [1] of { byte }; byte x; c[k]!k; c[k]?x; assert(x == k) }
init { run P(0); run P(1) }
