/* MICRO recv_const_neg: recv const neg */
chan q = [2] of { short };
init { q!-3; q?-3; q!5; q?[5] -> q?5 }
