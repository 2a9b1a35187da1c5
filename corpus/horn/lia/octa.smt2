; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (d Int)) (=> (and (= x 0) (= y 0) (>= d 0)) (inv x y d))))
(assert (forall ((x Int) (y Int) (d Int) (x1 Int) (y1 Int) (d1 Int)) (=> (and (inv x y d) (<= (+ x y) 100) (= x1 (+ x 1)) (= y1 (+ y 2)) (= d1 d)) (inv x1 y1 d1))))
(assert (forall ((x Int) (y Int) (d Int) (x1 Int) (y1 Int) (d1 Int)) (=> (and (inv x y d) (> (+ x y) 100) (= x1 (- x 1)) (= y1 (- y 2)) (= d1 d)) (inv x1 y1 d1))))
(assert (forall ((x Int) (y Int) (d Int)) (=> (and (inv x y d) (or (not (= y (* 2 x))) (> (+ x y) 103))) false)))
(check-sat)
