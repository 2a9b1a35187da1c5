/* MICRO last_var: last var */
byte x;
active [2] proctype P() { x = _last; if :: _last == 0 -> x = 5 :: else -> x = 6 fi }
