/* MICRO print_only: print only */
init { printf("hello %d\n", 3); printf("no newline") }
