; sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0)) (inv x y))))
(assert (forall ((x Int) (y Int) (x1 Int) (y1 Int)) (=> (and (inv x y) (and (< x 99) (= (mod y 2) 0)) (= x1 (+ x 2)) (= y1 y)) (inv x1 y1))))
(assert (forall ((x Int) (y Int) (x1 Int) (y1 Int)) (=> (and (inv x y) (and (< x 99) (not (= (mod y 2) 0))) (= x1 (+ x 1)) (= y1 y)) (inv x1 y1))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (and (>= x 99) (not (= (mod x 2) (mod y 2))))) false)))
(check-sat)
