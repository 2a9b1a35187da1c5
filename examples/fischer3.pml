/* Fischer's protocol for three processes with discrete clocks. A process that found `turn` free writes its number within LONG
 * ticks, then waits for more than LONG ticks before it looks again. Clocks stop at LONG + 1.
 *
 *   tertium check fischer3.pml --refinements 0             by abstraction: the time does not depend on LONG
 */
#ifndef LONG
#define LONG 32768
#endif

byte turn;                      /* 0: nobody's */
unsigned x : 17;                /* ticks since P last acted */
unsigned y : 17;                /* ticks since Q last acted */
unsigned z : 17;                /* ticks since R last acted */
bit hurry_p, hurry_q, hurry_r;  /* it must write before its clock passes LONG */

pred x < LONG
pred y < LONG
pred z < LONG
pred x <= LONG
pred y <= LONG
pred z <= LONG
pred x <= y
pred y <= x
pred x <= z
pred z <= x
pred y <= z
pred z <= y

active proctype Time() {
    do
    :: d_step {
           (x <= LONG || y <= LONG || z <= LONG) && (!hurry_p || x < LONG) && (!hurry_q || y < LONG) && (!hurry_r || z < LONG) ->
           x = (x <= LONG -> x + 1 : x);
           y = (y <= LONG -> y + 1 : y);
           z = (z <= LONG -> z + 1 : z)
       }
    od
}

active proctype P() {
    do
    :: d_step { turn == 0 -> x = 0; hurry_p = 1 };
       d_step { turn = 1; hurry_p = 0; x = 0 };
       x > LONG;
       if
       :: turn == 1 ->
crit:     turn = 0
       :: else
       fi
    od
}

active proctype Q() {
    do
    :: d_step { turn == 0 -> y = 0; hurry_q = 1 };
       d_step { turn = 2; hurry_q = 0; y = 0 };
       y > LONG;
       if
       :: turn == 2 ->
crit:     turn = 0
       :: else
       fi
    od
}

active proctype R() {
    do
    :: d_step { turn == 0 -> z = 0; hurry_r = 1 };
       d_step { turn = 3; hurry_r = 0; z = 0 };
       z > LONG;
       if
       :: turn == 3 ->
crit:     turn = 0
       :: else
       fi
    od
}

ltl mutex { [] (!(P@crit && Q@crit) && !(P@crit && R@crit) && !(Q@crit && R@crit)) }
