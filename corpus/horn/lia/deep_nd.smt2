; unsat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 0) (= z 0)) (inv x y z))))
(assert (forall ((x Int) (y Int) (z Int) (x1 Int) (y1 Int) (z1 Int) (w Int)) (=> (and (inv x y z) (< w 3) (= x1 (+ x w)) (= y1 (+ y 1)) (= z1 z)) (inv x1 y1 z1))))
(assert (forall ((x Int) (y Int) (z Int) (x1 Int) (y1 Int) (z1 Int)) (=> (and (inv x y z) (> y 20) (= x1 x) (= y1 0) (= z1 (+ z 1))) (inv x1 y1 z1))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (inv x y z) (and (> z 5) (> x 200))) false)))
(check-sat)
