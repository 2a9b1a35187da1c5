/* MICRO inline_define: inline define */
#define INC(v, k) v = v + (k)
#define TWICE(s) s; s
inline bump(a, b) { TWICE(INC(a, b)) }
inline outer(z) { bump(z, 3); if :: z > 5 -> bump(z, 1) :: else fi }
byte g;
active proctype P() { byte l; outer(l); outer(g); assert(l == 8 && g == 8) }
