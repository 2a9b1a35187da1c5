/* MICRO send_struct_literal: send struct literal */
mtype = { data }; typedef D { byte seq; byte body }; chan q = [1] of { mtype, D };
active proctype S() { D d; d.seq = 1; d.body = 2; q!data(d) }
active proctype R() { D e; q?data(e); assert(e.body == 2) }
