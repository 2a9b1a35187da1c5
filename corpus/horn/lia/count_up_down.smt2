; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (= x n) (= y 0) (>= n 0)) (inv x y n))))
(assert (forall ((x Int) (y Int) (n Int) (x1 Int) (y1 Int) (n1 Int)) (=> (and (inv x y n) (> x 0) (= x1 (- x 1)) (= y1 (+ y 1)) (= n1 n)) (inv x1 y1 n1))))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (inv x y n) (and (<= x 0) (not (= y n)))) false)))
(check-sat)
