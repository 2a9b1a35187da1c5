; sat
(set-logic HORN)
(declare-fun loop (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 0) (distinct z 0)) (loop x y z))))
(assert (forall ((x Int) (y Int) (z Int) (x1 Int) (y1 Int)) (=> (and (loop x y z) (not (= x 1000)) (= x1 (+ x 1)) (= y1 (ite (= z 0) (- y 1) (+ y 1)))) (loop x1 y1 z))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (loop x y z) (= x 1000) (not (= y 1000))) false)))
(check-sat)
