/* MICRO notrace_ok: notrace ok */
chan q = [2] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte v; q?v; q?v }
notrace { q!2; q!1 }
