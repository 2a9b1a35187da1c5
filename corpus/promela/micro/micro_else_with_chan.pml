/* MICRO else_with_chan: else with chan */
chan q = [1] of { byte }; byte x;
active proctype A() { if :: q?x -> skip :: else -> x = 9 fi }
active proctype B() { q!3 }
