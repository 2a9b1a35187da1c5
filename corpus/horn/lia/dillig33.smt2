; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int) (k Int)) (=> (and (= x 0) (= y 0) (= z k) (>= k 0)) (inv x y z k))))
(assert (forall ((x Int) (y Int) (z Int) (k Int) (x1 Int) (y1 Int) (z1 Int) (k1 Int)) (=> (and (inv x y z k) (< x 100) (= x1 (+ x 1)) (= y1 (+ y 1)) (= z1 (- z 1)) (= k1 k)) (inv x1 y1 z1 k1))))
(assert (forall ((x Int) (y Int) (z Int) (k Int) (x1 Int) (y1 Int) (z1 Int) (k1 Int)) (=> (and (inv x y z k) (> y 0) (= x1 x) (= y1 (- y 1)) (= z1 (+ z 1)) (= k1 k)) (inv x1 y1 z1 k1))))
(assert (forall ((x Int) (y Int) (z Int) (k Int)) (=> (and (inv x y z k) (not (= (+ y z) k))) false)))
(check-sat)
