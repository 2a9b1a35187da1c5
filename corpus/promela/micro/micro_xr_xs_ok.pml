/* MICRO xr_xs_ok: xr xs ok */
chan q = [1] of { byte };
active proctype A() { xs q; q!1; q!2 }
active proctype B() { xr q; byte x; q?x; q?x }
