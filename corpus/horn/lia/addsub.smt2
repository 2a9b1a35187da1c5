; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (= x 0) (= y 0) (= i 0)) (inv x y i))))
(assert (forall ((x Int) (y Int) (i Int) (x1 Int) (y1 Int) (i1 Int)) (=> (and (inv x y i) (< i 50) (= x1 (+ x 2)) (= y1 (+ y 2)) (= i1 (+ i 1))) (inv x1 y1 i1))))
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (inv x y i) (and (>= i 50) (not (= x 100)))) false)))
(check-sat)
