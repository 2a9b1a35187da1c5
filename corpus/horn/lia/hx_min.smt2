; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (m Int)) (=> (and (= m x) (<= x y)) (inv x y m))))
(assert (forall ((x Int) (y Int) (m Int) (x1 Int) (y1 Int) (m1 Int) (k Int)) (=> (and (inv x y m) true (= x1 (+ x 1)) (= y1 (+ y k)) (= m1 (ite (< x y) m (- m 1)))) (inv x1 y1 m1))))
(assert (forall ((x Int) (y Int) (m Int)) (=> (and (inv x y m) (> m x)) false)))
(check-sat)
