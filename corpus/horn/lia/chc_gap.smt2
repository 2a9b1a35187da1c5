; sat
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 10000)) (p x y))))
(assert (forall ((x Int) (y Int) (x1 Int) (y1 Int)) (=> (and (p x y) (> y x) (= x1 (+ x 2)) (= y1 (- y 2))) (p x1 y1))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (<= y x) (not (= x 5000))) false)))
(check-sat)
