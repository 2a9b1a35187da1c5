/* MICRO e_prio: e prio */
byte x, y;
active proctype A() priority 1 { x = 1; x = 2 }
active proctype B() priority 5 { if :: enabled(0) -> y = 1 :: !enabled(0) -> y = 2 fi; x == 2 -> y = 3 }
