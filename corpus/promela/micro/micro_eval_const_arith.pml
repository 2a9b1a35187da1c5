/* MICRO eval_const_arith: eval const arith */
mtype = { req, ack };
chan q = [0] of { mtype, byte };
active proctype A() { q!req,4; q!ack,5 }
active proctype B() { byte x = 1; q?eval(req),eval(x+3); q?ack,x; assert(x == 5) }
