/* MICRO provided_global: provided global */
bool on = true; byte x;
active proctype A() provided (on) { x++; x++; x++ }
active proctype B() { on = false; on = true }
