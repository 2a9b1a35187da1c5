/* Lamport's bakery for two processes; tickets are bounded by MAX (up to 2^18 here).
 *
 *   tertium check bakery.pml --refinements 0               by abstraction: the time does not depend on MAX
 *   tertium check bakery.pml -D MAX=4096                   by running it: the time grows with MAX
 */
#ifndef MAX
#define MAX 262144
#endif

unsigned t0 : 20;
unsigned t1 : 20;

pred t0 == 0
pred t1 == 0
pred t0 <= t1

active proctype P() {
    do
    :: atomic { t1 < MAX -> t0 = t1 + 1 };
       (t1 == 0 || t0 <= t1);
crit:  t0 = 0
    od
}

active proctype Q() {
    do
    :: atomic { t0 < MAX -> t1 = t0 + 1 };
       (t0 == 0 || t1 < t0);
crit:  t1 = 0
    od
}

ltl mutex { [] !(P@crit && Q@crit) }
