/* MICRO end_labels: end labels */
chan q = [0] of { byte };
active proctype S() { endserver: do :: q?_ od }
active proctype C() { q!1; q!2 }
