/* MICRO never_last: never last */
byte x;
active proctype A() { do :: x = 1 od }
active proctype B() { do :: x = 2 od }
never { do :: true :: _last == 1 -> goto acc od; acc: accept: do :: _last == 1 od }
