; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((i Int) (k Int) (n Int)) (=> (and (= i 0) (= k 0) (> n 0)) (inv i k n))))
(assert (forall ((i Int) (k Int) (n Int) (i1 Int) (k1 Int)) (=> (and (inv i k n) (< i (* 2 n)) (= i1 (+ i 1)) (= k1 (ite (= (mod i 2) 0) (+ k 1) k))) (inv i1 k1 n))))
(assert (forall ((i Int) (k Int) (n Int)) (=> (and (inv i k n) (= i (* 2 n)) (not (= k n))) false)))
(check-sat)
