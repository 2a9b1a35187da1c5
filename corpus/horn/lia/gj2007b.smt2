; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (m Int) (n Int)) (=> (and (= x 0) (= m 0)) (inv x m n))))
(assert (forall ((x Int) (m Int) (n Int) (x1 Int) (m1 Int) (n1 Int)) (=> (and (inv x m n) (< x n) (= x1 (+ x 1)) (= m1 x) (= n1 n)) (inv x1 m1 n1))))
(assert (forall ((x Int) (m Int) (n Int) (x1 Int) (m1 Int) (n1 Int)) (=> (and (inv x m n) (< x n) (= x1 (+ x 1)) (= m1 m) (= n1 n)) (inv x1 m1 n1))))
(assert (forall ((x Int) (m Int) (n Int)) (=> (and (inv x m n) (and (>= x n) (> n 0) (not (and (<= 0 m) (< m n))))) false)))
(check-sat)
