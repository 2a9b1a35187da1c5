/* MICRO pid_in_array: pid in array */
byte w[3];
active [3] proctype P() { w[_pid] = 1; w[(_pid + 1) % 3] = 2 }
