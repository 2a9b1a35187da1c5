; unsat
(set-logic HORN)
(declare-fun loop (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (loop x y))))
(assert (forall ((x Int) (y Int) (x1 Int) (y1 Int)) (=> (and (loop x y) (< x 3000) (= x1 (+ x 1)) (or (= y1 (+ y 1)) (= y1 y))) (loop x1 y1))))
(assert (forall ((x Int) (y Int)) (=> (and (loop x y) (= x 3000) (= y 1500)) false)))
(check-sat)
