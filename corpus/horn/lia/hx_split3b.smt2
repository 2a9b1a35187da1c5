; unsat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 0) (= z 0)) (inv x y z))))
(assert (forall ((x Int) (y Int) (z Int) (x1 Int) (y1 Int) (z1 Int)) (=> (and (inv x y z) (< x 300) (= x1 (+ x 1)) (= y1 (ite (>= x 100) (+ y 1) y)) (= z1 (ite (>= x 200) (+ z 1) z))) (inv x1 y1 z1))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (inv x y z) (= x 300) (= y (+ z 100))) false)))
(check-sat)
