/* MICRO trace_rv: trace rv */
chan q = [0] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte x; q?x; q?x }
trace { q!1; q!2 }
