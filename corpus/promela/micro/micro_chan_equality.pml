/* MICRO chan_equality: chan equality */
chan a = [1] of { byte }; chan b = [1] of { byte }; chan c;
init { c = a; assert(c == a && c != b); c!3; assert(len(a) == 1); c = b; c!4; byte x; a?x; assert(x == 3) }
