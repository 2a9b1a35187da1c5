; sat
(set-logic HORN)
(declare-fun p (Int Int Int) Bool)
(assert (forall ((x Int) (d Int) (n Int)) (=> (and (= x 0) (= d 1) (= n 0)) (p x d n))))
(assert (forall ((x Int) (d Int) (n Int) (x1 Int) (d1 Int) (n1 Int)) (=> (and (p x d n) (= x1 (+ x d)) (= d1 (ite (>= x1 1000) (- 1) (ite (<= x1 0) 1 d))) (= n1 (ite (= d d1) n (+ n 1)))) (p x1 d1 n1))))
(assert (forall ((x Int) (d Int) (n Int)) (=> (and (p x d n) (or (< x 0) (> x 1000) (and (= (mod n 2) 0) (= d (- 1))))) false)))
(check-sat)
