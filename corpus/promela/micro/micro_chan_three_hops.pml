/* MICRO chan_three_hops: chan three hops */
chan a = [0] of { chan }; chan b = [0] of { chan };
active proctype P() { chan mine = [1] of { bit }; bit r; a!mine; mine?r; assert(r) }
active proctype Q() { chan c; a?c; b!c }
active proctype R() { chan c; b?c; c!1 }
