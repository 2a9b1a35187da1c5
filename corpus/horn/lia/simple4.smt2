; sat
(set-logic HORN)
(declare-fun inv (Int) Bool)
(assert (forall ((x Int)) (=> (and (= x 268435440)) (inv x))))
(assert (forall ((x Int) (x1 Int)) (=> (and (inv x) (> x 0) (= x1 (- x 2))) (inv x1))))
(assert (forall ((x Int)) (=> (and (inv x) (and (<= x 0) (not (= (mod x 2) 0)))) false)))
(check-sat)
