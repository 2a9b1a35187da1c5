/* MICRO random_recv_eval: random recv eval */
chan q = [3] of { byte, byte };
active proctype A() { q!1,10; q!2,20; q!3,30 }
active proctype B() { byte k = 2, v; q??eval(k),v; assert(v == 20); q??3(v) ; assert(v == 30) }
