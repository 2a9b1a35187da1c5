/* MICRO mtype_array: mtype array */
mtype = { x1, x2 };
mtype arr[3] = x2;
init { arr[1] = x1; assert(arr[0] == x2 && arr[1] == x1 && arr[2] == x2) }
