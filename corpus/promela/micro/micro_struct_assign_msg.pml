/* MICRO struct_assign_msg: struct assign msg */
typedef M { byte a; mtype m }; mtype = { hi, lo };
chan q = [2] of { M, byte };
init { M x; M y; x.a = 3; x.m = lo; q!x,9; byte k; q?y,k; assert(y.a == 3 && y.m == lo && k == 9) }
