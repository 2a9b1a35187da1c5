/* MICRO short_wrap: short wrap */
short s = 32767; int i = 2147483647; byte b;
init { s++; assert(s == -32768); i++; assert(i < 0); b--; assert(b == 255); s = 70000; assert(s == 4464); b = -1; assert(b == 255) }
