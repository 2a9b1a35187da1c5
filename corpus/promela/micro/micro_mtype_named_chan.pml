/* MICRO mtype_named_chan: mtype named chan */
mtype:req = { get, put }; mtype:res = { ok, err };
chan q = [1] of { mtype:req }; chan r = [1] of { mtype:res };
active proctype C() { mtype:res x; q!put; r?x; assert(x == ok) }
active proctype S() { mtype:req y; q?y; if :: y == get -> r!err :: y == put -> r!ok fi }
