; sat
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (s Int)) (=> (and (>= x (- 20)) (<= x 20) (= s 0)) (p x s))))
(assert (forall ((x Int) (s Int) (x1 Int) (s1 Int)) (=> (and (p x s) (not (= x 0)) (= x1 (ite (> x 0) (- x 1) (+ x 1))) (= s1 (+ s (ite (> x 0) 1 1)))) (p x1 s1))))
(assert (forall ((x Int) (s Int)) (=> (and (p x s) (> s 20)) false)))
(check-sat)
