/* MICRO multi_assign_recv: multi assign recv */
chan q = [2] of { byte, byte }; byte a[3];
init { byte i; q!1,7; q?i,a[i]; assert(a[1] == 7) }
