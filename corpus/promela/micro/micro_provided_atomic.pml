/* MICRO provided_atomic: provided atomic */
byte t;
active proctype A() provided (t == 0) { atomic { t = 1; t = 0; t = 1 }; t = 5 }
active proctype B() { t == 1 -> t = 0 }
