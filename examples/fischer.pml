/* Fischer's protocol for two processes with discrete clocks. A process that found `turn` free writes its number within LONG
 * ticks, then waits for more than LONG ticks before it looks again. Clocks stop at LONG + 1.
 *
 *   tertium check fischer.pml --refinements 0              by abstraction: the time does not depend on LONG
 */
#ifndef LONG
#define LONG 32768
#endif

byte turn;                      /* 0: nobody's */
unsigned x : 17;                /* ticks since P last acted */
unsigned y : 17;                /* ticks since Q last acted */
bit hurry_p, hurry_q;           /* it must write before its clock passes LONG */

pred x < LONG
pred y < LONG
pred x <= LONG
pred y <= LONG
pred x <= y
pred y <= x

active proctype Time() {
    do
    :: d_step { x <= LONG && y <= LONG && (!hurry_p || x < LONG) && (!hurry_q || y < LONG) -> x = x + 1; y = y + 1 }
    :: d_step { x > LONG && y <= LONG && (!hurry_q || y < LONG) -> y = y + 1 }
    :: d_step { y > LONG && x <= LONG && (!hurry_p || x < LONG) -> x = x + 1 }
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

ltl mutex { [] !(P@crit && Q@crit) }
