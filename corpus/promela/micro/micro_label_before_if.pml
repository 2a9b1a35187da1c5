/* MICRO label_before_if: label before if */
byte x;
active proctype A() { L1: if :: x < 2 -> x++; goto L1 :: x == 2 -> goto L2 fi; L2: assert(x == 2) }
