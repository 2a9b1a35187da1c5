/* MICRO chan_through_chan: chan through chan */
chan boot = [0] of { chan, byte };
active proctype S() { chan mine = [1] of { byte }; byte r; boot!mine,7; mine?r; assert(r == 8) }
active proctype R() { chan c; byte v; boot?c,v; c!v+1 }
