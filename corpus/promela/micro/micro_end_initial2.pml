/* MICRO end_initial2: end initial2 */
byte x;
active proctype A() { x = 1; x = 2 }
never { end_x: do :: x < 5 -> skip; skip od }
