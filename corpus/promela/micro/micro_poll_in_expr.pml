/* MICRO poll_in_expr: poll in expr */
chan q = [1] of { byte };
byte x;
active proctype A() { q!3 }
active proctype B() { if :: q?[3] && x == 0 -> x = 1 :: empty(q) -> x = 2 fi }
