/* MICRO e_provclause: e provclause */
byte x;
active proctype A() { x == 1 -> x = 2; x = 3 }
active proctype B() provided (!enabled(0)) { x = 1; x = 5 }
