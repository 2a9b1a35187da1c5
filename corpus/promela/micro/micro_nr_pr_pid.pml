/* MICRO nr_pr_pid: nr pr pid */
byte last;
proctype C() { last = _pid }
init { byte a; a = run C(); a = run C(); assert(a == 2); (_nr_pr <= 2); a = run C() }
