/* MICRO remote_in_guard: remote in guard */
byte x;
active proctype A() { byte l; L: l = 3; M: x = 1 }
active proctype B() { A:l == 3; assert(A[0]@M || x == 1) }
