; sat
(set-logic HORN)
(declare-fun p (Int Int Int) Bool)
(assert (forall ((n Int) (q Int) (r Int)) (=> (and (>= n 0) (= q 0) (= r n)) (p n q r))))
(assert (forall ((n Int) (q Int) (r Int) (q1 Int) (r1 Int)) (=> (and (p n q r) (>= r 7) (= q1 (+ q 1)) (= r1 (- r 7))) (p n q1 r1))))
(assert (forall ((n Int) (q Int) (r Int)) (=> (and (p n q r) (< r 7) (not (and (= q (div n 7)) (= r (mod n 7))))) false)))
(check-sat)
