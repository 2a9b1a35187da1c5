; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((i Int) (j Int) (x Int) (y Int)) (=> (and (>= i 0) (>= j 0) (= x i) (= y j)) (inv i j x y))))
(assert (forall ((i Int) (j Int) (x Int) (y Int) (i1 Int) (j1 Int) (x1 Int) (y1 Int)) (=> (and (inv i j x y) (not (= x 0)) (= i1 i) (= j1 j) (= x1 (- x 1)) (= y1 (- y 1))) (inv i1 j1 x1 y1))))
(assert (forall ((i Int) (j Int) (x Int) (y Int)) (=> (and (inv i j x y) (and (= x 0) (= i j) (not (= y 0)))) false)))
(check-sat)
