/* MICRO chan_through_buffered: chan through buffered */
chan post = [2] of { chan };
chan a = [1] of { byte }; chan b = [1] of { byte };
active proctype S() { post!a; post!b; byte x; a?x; assert(x == 1); b?x; assert(x == 2) }
active proctype R() { chan c, d; post?c; post?d; d!2; c!1; assert(c != d) }
