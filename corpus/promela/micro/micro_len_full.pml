/* MICRO len_full: len full */
chan q = [2] of { byte };
active proctype A() { do :: nfull(q) -> q!len(q) :: full(q) -> break od; assert(len(q) == 2) }
active proctype B() { byte x; (nempty(q)) -> q?x; if :: empty(q) -> skip :: nempty(q) -> q?x fi }
