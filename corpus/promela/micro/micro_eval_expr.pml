/* MICRO eval_expr: eval expr */
chan q = [1] of { byte, byte };
active proctype A() { byte i; for (i : 0 .. 2) { q!i,i*2 } }
active proctype B() { byte i, v; do :: i < 3 -> q?eval(i),v; assert(v == 2*i); i++ :: else -> break od }
