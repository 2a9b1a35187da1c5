/* MICRO goto_end_label: goto end label */
byte x;
active proctype P() { do :: x < 2 -> x++ :: else -> goto end1 od; x = 9; end1: 0 }
