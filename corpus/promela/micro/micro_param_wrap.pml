/* MICRO param_wrap: param wrap */
byte g;
proctype P(byte a; short b; bit c; bool d) { g = a; assert(b < 0 && c == 1 && d == 0) }
init { run P(258, 40000, 3, 2) }
