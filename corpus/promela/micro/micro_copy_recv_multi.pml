/* MICRO copy_recv_multi: copy recv multi */
chan q = [3] of { byte, byte };
init { byte a, b; q!1,2; q!3,4; q?<a,b>; assert(a == 1); q??<3,b>; assert(b == 4 && len(q) == 2); q??3,b; q?<1,_>; assert(len(q) == 1) }
