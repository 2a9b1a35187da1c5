/* MICRO inline_chan: inline chan */
chan q = [1] of { byte };
inline snd(c, v) { atomic { nfull(c); c!v } }
inline rcv(c, v) { c?v }
active proctype A() { snd(q, 1); snd(q, 2) }
active proctype B() { byte z; rcv(q, z); rcv(q, z); assert(z == 2) }
