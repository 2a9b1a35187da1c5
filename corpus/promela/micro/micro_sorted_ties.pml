/* MICRO sorted_ties: sorted ties */
chan q = [4] of { byte, byte };
init { byte a, b; q!!2,5; q!!2,3; q!!1,9; q!!2,4; q?a,b; assert(a == 1); q?a,b; assert(b == 3); q?a,b; assert(b == 4) }
