/* comment * with / stars **/
byte x; // line comment
active proctype P() { x = 1 /* inline */ ; /* a
b */ assert(x == 1) }
