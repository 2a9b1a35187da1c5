; sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x y)) (inv x y))))
(assert (forall ((x Int) (y Int) (x1 Int) (y1 Int)) (=> (and (inv x y) (not (= x 0)) (= x1 (ite (> x 0) (- x 1) (+ x 1))) (= y1 y)) (inv x1 y1))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (or (and (>= y 0) (< x 0)) (and (<= y 0) (> x 0)))) false)))
(check-sat)
