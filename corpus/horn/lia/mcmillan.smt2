; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (= x 0) (= y 0) (= i 0)) (inv x y i))))
(assert (forall ((x Int) (y Int) (i Int) (x1 Int) (y1 Int) (i1 Int)) (=> (and (inv x y i) true (= x1 (+ x 1)) (= y1 (+ y x)) (= i1 (+ i 1))) (inv x1 y1 i1))))
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (inv x y i) (< y 0)) false)))
(check-sat)
