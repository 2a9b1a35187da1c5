/* MICRO rv_atomic_chain: rv atomic chain */
chan a = [0] of { byte }; chan b = [0] of { byte }; byte x;
active proctype P() { atomic { a!1; x = 5; b!2; x = 6 } }
active proctype Q() { byte v; atomic { a?v; x = 7; x = 8 } b?v; assert(x == 8 || x == 5) }
