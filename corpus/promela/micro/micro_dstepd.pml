/* MICRO dstepd: dstepd */
byte x;
active D_proctype P() { d_step { x = 1; if :: x > 0 -> x = 2 :: x == 1 -> x = 3 fi } ; if :: true -> x = 4 :: true -> x = 5 fi }
