; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((c Int) (y Int) (z Int)) (=> (and (= c 0) (= y 0) (= z 0)) (inv c y z))))
(assert (forall ((c Int) (y Int) (z Int) (c1 Int) (y1 Int) (z1 Int)) (=> (and (inv c y z) true (= c1 (+ c 1)) (= y1 (ite (< c 50) (+ y 1) (- y 1))) (= z1 (ite (< c 50) (- z 1) (+ z 1)))) (inv c1 y1 z1))))
(assert (forall ((c Int) (y Int) (z Int)) (=> (and (inv c y z) (not (= (+ y z) 0))) false)))
(check-sat)
