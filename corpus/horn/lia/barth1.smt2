; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (t Int)) (=> (and (= x 1) (= y 1) (= t 0)) (inv x y t))))
(assert (forall ((x Int) (y Int) (t Int) (x1 Int) (y1 Int) (t1 Int)) (=> (and (inv x y t) true (= x1 (+ x t)) (= y1 (+ y x)) (= t1 (+ t 1))) (inv x1 y1 t1))))
(assert (forall ((x Int) (y Int) (t Int)) (=> (and (inv x y t) (< y 1)) false)))
(check-sat)
