; sat
(set-logic HORN)
(declare-fun f (Int Int) Bool)
(declare-fun g (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (>= y 0)) (f x y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (f x y) (> y 0) (= z (- y 1))) (g (+ x 2) z))))
(assert (forall ((x Int) (y Int)) (=> (and (g x y) (= (mod x 4) 2)) (f (+ x 2) y))))
(assert (forall ((x Int) (y Int)) (=> (and (g x y) (not (= (mod x 4) 2))) false)))
(check-sat)
