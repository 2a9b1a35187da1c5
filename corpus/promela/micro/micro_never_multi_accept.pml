/* MICRO never_multi_accept: never multi accept */
byte x;
active proctype A() { do :: x = (x + 1) % 3 od }
never { accept_init: if :: x != 2 -> goto accept_init :: x == 2 -> goto T1 fi; T1: if :: x == 0 -> goto accept_x fi; accept_x: if :: true -> goto T1 :: x == 2 -> goto accept_init fi }
