; sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (inv x y))))
(assert (forall ((x Int) (y Int) (x1 Int) (y1 Int)) (=> (and (inv x y) (not (= x 10)) (= x1 (+ x 1)) (= y1 (ite (= y 3) 0 (+ y 1)))) (inv x1 y1))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (or (> x 10) (> y 3) (< y 0))) false)))
(check-sat)
