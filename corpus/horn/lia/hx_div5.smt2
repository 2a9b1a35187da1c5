; sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (n Int)) (=> (and (= x 1) (= n 0)) (inv x n))))
(assert (forall ((x Int) (n Int) (x1 Int) (n1 Int)) (=> (and (inv x n) (< n 40) (= x1 (ite (= (mod x 2) 0) (div x 2) (+ (* 3 x) 7))) (= n1 (+ n 1))) (inv x1 n1))))
(assert (forall ((x Int) (n Int)) (=> (and (inv x n) (= n 12) (= x 5)) false)))
(check-sat)
