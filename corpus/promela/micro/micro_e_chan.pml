/* MICRO e_chan: e chan */
chan q = [1] of { byte }; byte y;
active proctype A() { byte v; q!1; q!2; q?v; q?3 }
active proctype B() { do :: enabled(0) && y < 5 -> y++ :: !enabled(0) -> break :: y == 5 -> break od; q?y }
