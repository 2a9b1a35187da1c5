/* MICRO char_const: char const */
byte c = 'a';
init { assert(c == 97); c = 'z' - 1; if :: c == 'y' -> skip fi; c = '\n'; assert(c == 10) }
