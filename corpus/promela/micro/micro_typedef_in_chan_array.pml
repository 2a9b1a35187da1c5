/* MICRO typedef_in_chan_array: typedef in chan array */
typedef Msg { byte id; byte data[2] };
chan net[2] = [1] of { Msg };
active proctype S() { Msg m; m.id = 3; m.data[1] = 7; net[1]!m }
active proctype R() { Msg r; net[1]?r; assert(r.id == 3 && r.data[1] == 7 && r.data[0] == 0) }
