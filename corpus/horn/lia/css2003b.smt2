; unsat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((i Int) (j Int) (k Int)) (=> (and (= i 1) (= j 1) (>= k 0) (<= k 1)) (inv i j k))))
(assert (forall ((i Int) (j Int) (k Int) (i1 Int) (j1 Int) (k1 Int)) (=> (and (inv i j k) (< i 1000) (= i1 (+ i 1)) (= j1 (+ j k)) (= k1 (- k 1))) (inv i1 j1 k1))))
(assert (forall ((i Int) (j Int) (k Int)) (=> (and (inv i j k) (and (>= i 1000) (< j 0))) false)))
(check-sat)
