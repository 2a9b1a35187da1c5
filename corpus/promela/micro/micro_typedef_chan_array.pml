/* arrays of channels inside a typedef */
typedef Link { chan c[2] = [1] of { byte }; byte n }
Link l[2];
active proctype A() { l[0].c[1]!3; l[1].c[0]!4; l[0].n = len(l[0].c[1]) }
active proctype B() { byte x; l[0].c[1]?x; l[1].c[0]?x; assert(x == 4) }
