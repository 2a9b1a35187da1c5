/* MICRO chan_reply: chan reply */
mtype = { req, rep };
chan server = [2] of { mtype, chan };
active [2] proctype Client() { chan me = [1] of { mtype, byte }; byte v; server!req(me); me?rep(v); assert(v == 1 || v == 2) }
active proctype Server() { chan c; byte n; end: do :: server?req(c) -> n++; c!rep(n) od }
