/* MICRO never_else: never else */
byte x;
active proctype A() { x = 1; x = 2 }
never { do :: x == 2 -> break :: else od }
