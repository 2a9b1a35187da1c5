; sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 1)) (inv x y))))
(assert (forall ((x Int) (y Int) (x1 Int) (y1 Int)) (=> (and (inv x y) (< x 6) (= x1 (+ x 1)) (= y1 (* 2 y))) (inv x1 y1))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (and (>= x 6) (not (= (mod y 3) 1)))) false)))
(check-sat)
