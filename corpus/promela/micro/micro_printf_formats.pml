/* MICRO printf_formats: printf formats */
mtype = { one, two };
init { byte b = 5; int i = -3; printf("%d %u %x %o %c %e %%\n", b, i, b, b, 65, two); printm(one); assert(b == 5) }
