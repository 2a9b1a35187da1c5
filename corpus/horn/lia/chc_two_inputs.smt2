; unsat
(set-logic HORN)
(declare-fun p (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (= x 0) (= y 0)) (p x y i))))
(assert (forall ((x Int) (y Int) (i Int) (x1 Int) (y1 Int) (j Int)) (=> (and (p x y i) (>= j 0) (<= j 1000) (= x1 (+ x j)) (= y1 (+ y (* 2 i)))) (p x1 y1 j))))
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (p x y i) (= x 2500) (= y 4001) ) false)))
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (p x y i) (= x 2500) (= y 4000) (= i 7)) false)))
(check-sat)
