/* MICRO zombie_pids: zombie pids */
byte p1, p2;
proctype C() { skip }
init { p1 = run C(); (_nr_pr == 1); p2 = run C(); assert(p1 == p2) }
