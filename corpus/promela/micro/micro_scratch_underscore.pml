/* MICRO scratch_underscore: scratch underscore */
chan q = [2] of { byte, byte, byte };
init { byte x; q!1,2,3; q!4,5,6; q?_,x,_; assert(x == 2); q?4,_,x; assert(x == 6); _ = 3 }
