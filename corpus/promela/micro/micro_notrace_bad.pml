/* MICRO notrace_bad: notrace bad */
chan q = [2] of { byte };
active proctype A() { q!1; if :: q!2 :: q!3 fi }
active proctype B() { byte v; q?v; q?v }
notrace { q!1; q!3 }
