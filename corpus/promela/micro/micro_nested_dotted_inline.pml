/* MICRO nested_dotted_inline: nested dotted inline */
typedef N { byte k; byte arr[2] }; N n[2];
inline upd(node, i) { node.k = node.k + 1; node.arr[i] = node.k }
init { upd(n[1], 0); upd(n[1], 1); assert(n[1].arr[0] == 1 && n[1].arr[1] == 2 && n[0].k == 0) }
