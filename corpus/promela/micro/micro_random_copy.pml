/* MICRO random_copy: random copy */
chan q = [3] of { byte };
init { byte v; q!1; q!2; q!3; q??<2>; assert(len(q) == 3); q??<v>; assert(v == 1); q??2; assert(len(q) == 2); assert(!q??[2] && q??[3]) }
