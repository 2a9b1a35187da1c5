/* MICRO for_break: for break */
byte i, n;
active proctype P() { for (i : 1 .. 5) { if :: i == 3 -> break :: else fi; n++ } assert(n == 2 && i == 3) }
