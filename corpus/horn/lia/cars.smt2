; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int Int) Bool)
(assert (forall ((x1 Int) (v1 Int) (x2 Int) (v2 Int) (t Int)) (=> (and (= x1 100) (= x2 75) (= v1 1) (= v2 1) (= t 0)) (inv x1 v1 x2 v2 t))))
(assert (forall ((x1 Int) (v1 Int) (x2 Int) (v2 Int) (t Int) (x11 Int) (v11 Int) (x21 Int) (v21 Int) (t1 Int)) (=> (and (inv x1 v1 x2 v2 t) (<= v2 3) (= x11 (+ x1 v1)) (= v11 v1) (= x21 (+ x2 v2)) (= v21 (+ v2 1)) (= t1 (+ t 1))) (inv x11 v11 x21 v21 t1))))
(assert (forall ((x1 Int) (v1 Int) (x2 Int) (v2 Int) (t Int)) (=> (and (inv x1 v1 x2 v2 t) (< (+ (* 3 t) 100) (- x1 0))) false)))
(check-sat)
