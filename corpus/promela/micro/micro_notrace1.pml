/* MICRO notrace1: notrace1 */
chan q = [1] of { byte };
active proctype A() { q!1; q!2; q!1 }
active proctype B() { byte x; do :: q?x od }
notrace { q!1; q!1 }
