/* MICRO never_timeout: never timeout */
byte x;
active proctype A() { x == 1 }
active proctype B() { skip; if :: true :: x = 1 fi }
never { do :: !timeout :: timeout -> break od }
