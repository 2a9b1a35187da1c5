/* MICRO chan_array_param: chan array param */
chan q[3] = [1] of { byte };
proctype N(chan inp; chan outp; byte id) { byte v; inp?v; outp!v+id }
init { atomic { run N(q[0], q[1], 1); run N(q[1], q[2], 2); q[0]!5 }; byte r; q[2]?r; assert(r == 8) }
