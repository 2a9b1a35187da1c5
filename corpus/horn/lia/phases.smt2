; sat
(set-logic HORN)
(declare-fun inv (Int) Bool)
(assert (forall ((x Int)) (=> (and (= x 0)) (inv x))))
(assert (forall ((x Int) (x1 Int)) (=> (and (inv x) (and (< x 268435455) (< x 65520)) (= x1 (+ x 1))) (inv x1))))
(assert (forall ((x Int) (x1 Int)) (=> (and (inv x) (and (< x 268435455) (>= x 65520)) (= x1 (+ x 2))) (inv x1))))
(assert (forall ((x Int)) (=> (and (inv x) (and (>= x 268435455) (not (= (mod x 2) 0)))) false)))
(check-sat)
