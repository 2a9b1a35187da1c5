/* MICRO run_result: run result */
byte p, q;
proctype C(byte k) { p = k }
init { q = run C(3); assert(q == 1); q = run C(4); assert(q <= 2); if :: run C(1) -> skip fi }
