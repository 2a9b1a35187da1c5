; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((k Int) (i Int) (j Int) (n Int)) (=> (and (= k 1) (= i 1) (= j 0) (> n 0)) (inv k i j n))))
(assert (forall ((k Int) (i Int) (j Int) (n Int) (k1 Int) (i1 Int) (j1 Int) (n1 Int)) (=> (and (inv k i j n) (and (< i n) (< j i)) (= k1 (+ k (- i j))) (= i1 i) (= j1 (+ j 1)) (= n1 n)) (inv k1 i1 j1 n1))))
(assert (forall ((k Int) (i Int) (j Int) (n Int) (k1 Int) (i1 Int) (j1 Int) (n1 Int)) (=> (and (inv k i j n) (and (< i n) (>= j i)) (= k1 k) (= i1 (+ i 1)) (= j1 0) (= n1 n)) (inv k1 i1 j1 n1))))
(assert (forall ((k Int) (i Int) (j Int) (n Int)) (=> (and (inv k i j n) (and (>= i n) (< k n))) false)))
(check-sat)
