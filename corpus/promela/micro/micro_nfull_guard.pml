/* MICRO nfull_guard: nfull guard */
chan q = [1] of { byte };
active proctype A() { do :: nfull(q) -> q!1 :: full(q) -> break od }
active proctype B() { do :: nempty(q) -> q?_ :: empty(q) -> break od }
