/* MICRO end_initial: end initial */
byte x;
active proctype A() { x = 1; x = 2 }
never { end_x: do :: true od }
