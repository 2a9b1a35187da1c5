/* MICRO nr_pr_guard: nr pr guard */
byte n;
proctype C() { n++ }
init { atomic { run C(); run C(); run C() } (_nr_pr == 1) -> assert(n == 3) }
