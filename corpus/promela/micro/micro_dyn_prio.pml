/* MICRO dyn_prio: dyn prio */
byte x;
proctype W(byte k) { x = k; x = k + 10 }
init priority 10 { run W(1) priority 2; run W(2) priority 3; set_priority(_pid, 1); x == 99 }
