/* MICRO skip_labels_multi: skip labels multi */
byte x;
active proctype A() { L1: L2: x++; if :: x < 2 -> goto L1 :: x == 2 -> goto L2 :: else fi }
