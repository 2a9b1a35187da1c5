/* MICRO provided_pid: provided pid */
byte turn;
active [2] proctype P() provided (turn == _pid) { byte i; do :: i < 2 -> i++; turn = 1 - turn :: else -> break od; turn = 1 - turn }
