/* MICRO chan_struct_field_send: chan struct field send */
typedef Node { chan inbox; byte id };
chan pool[2] = [1] of { byte };
Node n[2];
init { n[0].inbox = pool[1]; n[1].inbox = pool[0]; n[0].inbox!5; n[1].inbox!6; byte a; pool[1]?a; assert(a == 5); pool[0]?a; assert(a == 6) }
