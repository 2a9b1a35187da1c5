/* MICRO e_unless: e unless */
bool on; byte x, y;
active proctype A() { { x == 1; x = 2 } unless { on -> x = 7 } }
active proctype B() { if :: enabled(0) -> y = 1 :: !enabled(0) -> y = 2 fi; on = true; if :: enabled(0) -> y = 3 :: !enabled(0) -> y = 4 fi }
