/* MICRO never_accept: never accept */
byte x;
active proctype A() { do :: x = 1 - x od }
never { T0: if :: (x == 0) -> goto accept_1 :: true -> goto T0 fi; accept_1: if :: x == 0 -> goto accept_1 fi }
