/* MICRO end_goto_self: end goto self */
byte x;
active proctype A() { do :: x = 1 - x od }
never { T: if :: x == 0 -> goto T :: x == 1 -> goto U fi; U: if :: x == 0 -> goto end_k fi; end_k: if :: true -> goto T fi }
