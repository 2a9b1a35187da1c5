; unsat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (k Int)) (=> (and (= x 0) (= k 0)) (inv x k))))
(assert (forall ((x Int) (k Int) (x1 Int) (k1 Int) (z Int)) (=> (and (inv x k) (and (>= z 1) (<= z 2)) (= x1 (+ x z)) (= k1 (+ k 1))) (inv x1 k1))))
(assert (forall ((x Int) (k Int)) (=> (and (inv x k) (and (= x 600) (= k 500))) false)))
(check-sat)
