; unsat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (= x 0) (= y 0) (= n 1000)) (inv x y n))))
(assert (forall ((x Int) (y Int) (n Int) (x1 Int) (y1 Int) (n1 Int)) (=> (and (inv x y n) (< x n) (= x1 (+ x 1)) (= y1 (ite (< x 500) (+ y 1) (- y 1))) (= n1 n)) (inv x1 y1 n1))))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (inv x y n) (and (= x n) (= y 0))) false)))
(check-sat)
