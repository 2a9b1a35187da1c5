/* MICRO nested_struct: nested struct */
typedef In { byte v[2]; bool b }; typedef Out { In i[2]; short s };
Out o[2]; 
init { o[1].i[0].v[1] = 5; o[0].i[1].b = 1; o[1].s = o[1].i[0].v[1] - 10; assert(o[1].s == -5 && o[0].i[1].b) }
