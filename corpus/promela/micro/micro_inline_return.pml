/* MICRO inline_return: inline return */
inline f(x) { x = x + 1 }
inline g(y) { f(y); f(y) }
int n;
active [2] proctype P() { g(n); assert(n <= 4) }
