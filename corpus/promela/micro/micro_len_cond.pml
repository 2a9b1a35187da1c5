/* MICRO len_cond: len cond */
chan q = [3] of { byte };
active proctype A() { do :: len(q) < 3 -> q!len(q) :: else -> break od }
active proctype B() { do :: len(q) > 1 -> q?_ :: timeout -> break od }
