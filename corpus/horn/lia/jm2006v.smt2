; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int Int) Bool)
(assert (forall ((i Int) (j Int) (x Int) (y Int) (z Int)) (=> (and (>= i 0) (>= j 0) (= x i) (= y j) (= z 0)) (inv i j x y z))))
(assert (forall ((i Int) (j Int) (x Int) (y Int) (z Int) (i1 Int) (j1 Int) (x1 Int) (y1 Int) (z1 Int)) (=> (and (inv i j x y z) (not (= x 0)) (= i1 i) (= j1 j) (= x1 (- x 1)) (= y1 (- y 2)) (= z1 (+ z 1))) (inv i1 j1 x1 y1 z1))))
(assert (forall ((i Int) (j Int) (x Int) (y Int) (z Int)) (=> (and (inv i j x y z) (and (= x 0) (= i j) (not (= y (- z))))) false)))
(check-sat)
