/* MICRO mtype_named: mtype named */
mtype:fruit = { apple, pear };
mtype:colour = { red, blue, grey };
mtype:fruit f = apple; mtype:colour c;
chan q = [1] of { mtype:colour, mtype:fruit };
init { q!grey,pear; q?c,f; assert(c == grey && f == pear); assert(apple == 2 && pear == 1 && red == 3); printf("%e", c) }
