; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (l Int)) (=> (and (= x 0) (= y 0) (> l 0)) (inv x y l))))
(assert (forall ((x Int) (y Int) (l Int) (x1 Int) (y1 Int) (k Int)) (=> (and (inv x y l) (and (>= k 0) (<= k l)) (= x1 (+ x k)) (= y1 (+ y l))) (inv x1 y1 l))))
(assert (forall ((x Int) (y Int) (l Int)) (=> (and (inv x y l) (> x y)) false)))
(check-sat)
