; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (m Int)) (=> (and (= x 0) (= y 0) (> m 0)) (inv x y m))))
(assert (forall ((x Int) (y Int) (m Int) (x1 Int) (y1 Int)) (=> (and (inv x y m) (< x (* 2 m)) (= x1 (+ x 1)) (= y1 (ite (< x m) y (+ y 1)))) (inv x1 y1 m))))
(assert (forall ((x Int) (y Int) (m Int)) (=> (and (inv x y m) (= x (* 2 m)) (not (= y m))) false)))
(check-sat)
