typedef M { byte v }
byte x;
chan a = [2] of { M }; chan b = [3] of { M };
inline sum(c, m) { for (m in c) { x = x + m.v } }
active proctype P() { M m; m.v = 1; a!m; m.v = 2; a!m; sum(a, m); x = 0; sum(a, m) }
active proctype Q() { M m; m.v = 3; b!m; m.v = 4; b!m; sum(b, m); }
