/* MICRO last_in_atomic: last in atomic */
byte x, y;
active [2] proctype P() { atomic { x = _last; y = _pid }; y = _last }
