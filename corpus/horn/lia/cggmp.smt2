; sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((i Int) (j Int)) (=> (and (= i 1) (= j 10)) (inv i j))))
(assert (forall ((i Int) (j Int) (i1 Int) (j1 Int)) (=> (and (inv i j) (>= j i) (= i1 (+ i 2)) (= j1 (- j 1))) (inv i1 j1))))
(assert (forall ((i Int) (j Int)) (=> (and (inv i j) (and (< j i) (not (= j 6)))) false)))
(check-sat)
