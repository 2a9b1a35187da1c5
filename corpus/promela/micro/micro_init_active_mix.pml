/* MICRO init_active_mix: init active mix */
byte x;
active proctype A() { x++ }
init { x++; run B() }
proctype B() { x++; assert(_pid == 2 && x <= 3) }
active proctype C() { skip }
