/* MICRO never_if_block: never if block */
byte x;
active proctype A() { x = 1; x = 2; x = 3 }
never { if :: x == 0 fi; if :: x == 1 fi; do :: x == 2 :: x == 3 -> break od }
