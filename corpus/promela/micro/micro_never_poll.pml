/* MICRO never_poll: never poll */
chan q = [1] of { byte };
active proctype A() { q!1; q!2 }
active proctype B() { byte v; q?v; q?v }
never { do :: !(q?[2]) :: q?[2] -> break od }
