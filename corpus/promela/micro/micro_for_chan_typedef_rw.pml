/* MICRO for_chan_typedef_rw: for chan typedef rw */
typedef E { byte k; bit f };
chan c = [2] of { E };
active proctype P() { E e; e.k = 1; c!e; e.k = 2; e.f = 1; c!e; byte n; for (e in c) { n = n + e.k } assert(n == 3) }
active proctype Q() { E z; c?z; c!z }
