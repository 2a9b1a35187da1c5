/* MICRO never_end_label: never end label */
byte x;
active proctype A() { x = 1; x = 2 }
never { do :: x == 0 :: x == 1 -> goto end_s :: x == 2 od; end_s: do :: true od }
