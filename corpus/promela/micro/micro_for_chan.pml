/* MICRO for_chan: for chan */
typedef M { byte a; byte b };
chan q = [3] of { M };
active proctype P() { M m; byte s; m.a = 1; m.b = 2; q!m; m.a = 3; q!m; for (m in q) { s = s + m.a } assert(s == 4 && len(q) == 2) }
