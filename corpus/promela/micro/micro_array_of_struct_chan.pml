/* MICRO array_of_struct_chan: array of struct chan */
typedef Port { chan c = [1] of { byte }; byte n }; Port port[2];
active [2] proctype P() { port[_pid].c!_pid + 1; byte v; port[1 - _pid].c?v; assert(v == 2 - _pid) }
