/* MICRO timeouts_many: timeouts many */
byte x;
active proctype A() { do :: timeout -> x++; if :: x > 2 -> break :: else fi od }
active proctype B() { do :: x == 1 -> x = 2 :: x > 2 -> break od }
