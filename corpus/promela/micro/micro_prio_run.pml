/* MICRO prio_run: prio run */
byte x;
proctype P(byte k) { x = k; x = k }
init { run P(1) priority 3; run P(2) priority 4; assert(x == 2) ; x = 0 }
