/* MICRO atomic_else_goto: atomic else goto */
byte x;
active [2] proctype P() { again: atomic { if :: x < 2 -> x++; goto again :: else -> skip fi; x = x + 5 } ; x-- }
