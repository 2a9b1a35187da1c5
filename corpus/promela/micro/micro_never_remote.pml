/* MICRO never_remote: never remote */
byte x;
active proctype A() { x = 1; L: x = 2 }
never { do :: !A@L :: A@L -> break od; assert(x == 1) }
