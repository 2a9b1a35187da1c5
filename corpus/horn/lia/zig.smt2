; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (s Int)) (=> (and (= x 0) (= y 0) (= s 0)) (inv x y s))))
(assert (forall ((x Int) (y Int) (s Int) (x1 Int) (y1 Int) (s1 Int)) (=> (and (inv x y s) (= s 0) (= x1 (+ x 1)) (= y1 y) (= s1 1)) (inv x1 y1 s1))))
(assert (forall ((x Int) (y Int) (s Int) (x1 Int) (y1 Int) (s1 Int)) (=> (and (inv x y s) (= s 1) (= x1 x) (= y1 (+ y 1)) (= s1 0)) (inv x1 y1 s1))))
(assert (forall ((x Int) (y Int) (s Int)) (=> (and (inv x y s) (and (= s 0) (not (= x y)))) false)))
(check-sat)
