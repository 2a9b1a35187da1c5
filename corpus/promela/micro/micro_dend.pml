/* MICRO dend: dend */
byte x;
active D_proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> break :: else -> x = 0 od }
active proctype Q() { x = 2 }
