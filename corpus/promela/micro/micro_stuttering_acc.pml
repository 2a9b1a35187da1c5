/* MICRO stuttering_acc: stuttering acc */
byte x;
active proctype A() { x = 1 }
never { do :: true :: x == 1 -> break od; accept: do :: x == 1 od }
