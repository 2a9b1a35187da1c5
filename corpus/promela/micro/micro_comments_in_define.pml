/* MICRO comments_in_define: comments in define */
#define LIMIT 3 /* three */
#define NAME x // the name
byte x;
init { NAME = LIMIT; assert(x == 3) }
