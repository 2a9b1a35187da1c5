/* MICRO e_provided: e provided */
bool on; byte x, y;
active proctype A() provided (on) { x = 1; x = 2 }
active proctype B() { if :: enabled(0) -> y = 1 :: !enabled(0) -> y = 2 fi; on = true }
