; sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((i Int) (k Int)) (=> (and (= i 0) (= k 0)) (inv i k))))
(assert (forall ((i Int) (k Int) (i1 Int) (k1 Int)) (=> (and (inv i k) true (= i1 (+ i 1)) (= k1 (ite (= (mod i 3) 2) (+ k 1) k))) (inv i1 k1))))
(assert (forall ((i Int) (k Int)) (=> (and (inv i k) (> (* 3 k) i)) false)))
(check-sat)
