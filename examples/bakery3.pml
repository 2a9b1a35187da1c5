/* Lamport's bakery for three processes; tickets are bounded by MAX (up to 2^18 here).
 *
 *   tertium check bakery3.pml --refinements 0              by abstraction: the time does not depend on MAX
 *   tertium check bakery3.pml -D MAX=64                    by running it: the time grows with MAX
 */
#ifndef MAX
#define MAX 262144
#endif

unsigned t0 : 20;
unsigned t1 : 20;
unsigned t2 : 20;

pred t0 == 0
pred t1 == 0
pred t2 == 0
pred t0 <= t1
pred t0 <= t2
pred t1 <= t2

active proctype P() {
    do
    :: atomic { t1 < MAX && t2 < MAX -> t0 = (t1 <= t2 -> t2 : t1) + 1 };
       (t1 == 0 || t0 <= t1);
       (t2 == 0 || t0 <= t2);
crit:  t0 = 0
    od
}

active proctype Q() {
    do
    :: atomic { t0 < MAX && t2 < MAX -> t1 = (t0 <= t2 -> t2 : t0) + 1 };
       (t0 == 0 || t1 < t0);
       (t2 == 0 || t1 <= t2);
crit:  t1 = 0
    od
}

active proctype R() {
    do
    :: atomic { t0 < MAX && t1 < MAX -> t2 = (t0 <= t1 -> t1 : t0) + 1 };
       (t0 == 0 || t2 < t0);
       (t1 == 0 || t2 < t1);
crit:  t2 = 0
    od
}

ltl mutex { [] (!(P@crit && Q@crit) && !(P@crit && R@crit) && !(Q@crit && R@crit)) }
