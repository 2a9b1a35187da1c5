/* MICRO unless_chan: unless chan */
chan q = [1] of { byte }; byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> break od unless { q?x -> assert(x == 9) } ; x = 7 }
active proctype Q() { q!9 }
