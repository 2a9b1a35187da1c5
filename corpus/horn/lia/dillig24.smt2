; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((i Int) (j Int) (k Int) (n Int)) (=> (and (= i 0) (= j 0) (= k 0)) (inv i j k n))))
(assert (forall ((i Int) (j Int) (k Int) (n Int) (i1 Int) (j1 Int) (k1 Int) (n1 Int)) (=> (and (inv i j k n) (and (< i n) (< j n) (< k n)) (= i1 i) (= j1 j) (= k1 (+ k 1)) (= n1 n)) (inv i1 j1 k1 n1))))
(assert (forall ((i Int) (j Int) (k Int) (n Int) (i1 Int) (j1 Int) (k1 Int) (n1 Int)) (=> (and (inv i j k n) (and (< i n) (< j n) (>= k n)) (= i1 i) (= j1 (+ j 1)) (= k1 j) (= n1 n)) (inv i1 j1 k1 n1))))
(assert (forall ((i Int) (j Int) (k Int) (n Int) (i1 Int) (j1 Int) (k1 Int) (n1 Int)) (=> (and (inv i j k n) (and (< i n) (>= j n)) (= i1 (+ i 1)) (= j1 i) (= k1 i) (= n1 n)) (inv i1 j1 k1 n1))))
(assert (forall ((i Int) (j Int) (k Int) (n Int)) (=> (and (inv i j k n) (or (< k 0) (and (< i n) (> i (+ j 1))) )) false)))
(check-sat)
