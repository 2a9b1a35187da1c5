/* MICRO atomic_chan_block: atomic chan block */
chan q = [1] of { byte };
byte x;
active proctype A() { atomic { q!1; x = 1; q!2; x = 2; q!3; x = 3 } }
active proctype B() { byte v; do :: q?v -> assert(v <= x + 1) od }
