; sat
(set-logic HORN)
(declare-fun p (Int Int Int Int) Bool)
(assert (forall ((w Int) (x Int) (y Int) (z Int)) (=> (and (= w 1) (= x 0) (= y 0) (= z 0)) (p w x y z))))
(assert (forall ((w Int) (x Int) (y Int) (z Int) (w1 Int) (x1 Int) (y1 Int) (z1 Int)) (=> (and (p w x y z) (= x1 (ite (= (mod w 2) 1) (+ x 1) x)) (= w1 (ite (= (mod w 2) 1) (+ w 1) w)) (= y1 (ite (= (mod z 2) 0) (+ y 1) y)) (= z1 (ite (= (mod z 2) 0) (+ z 1) z))) (p w1 x1 y1 z1))))
(assert (forall ((w Int) (x Int) (y Int) (z Int)) (=> (and (p w x y z) (> x 1)) false)))
(assert (forall ((w Int) (x Int) (y Int) (z Int)) (=> (and (p w x y z) (> y 1)) false)))
(check-sat)
