; unsat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((d Int) (v Int) (i Int)) (=> (and (= d 0) (= v 0) (>= i 1)) (inv d v i))))
(assert (forall ((d Int) (v Int) (i Int) (d1 Int) (v1 Int) (i1 Int)) (=> (and (inv d v i) (>= i 1) (= d1 0) (= v1 (+ v 1)) (= i1 (- (+ i d) 1))) (inv d1 v1 i1))))
(assert (forall ((d Int) (v Int) (i Int) (d1 Int) (v1 Int) (i1 Int)) (=> (and (inv d v i) (>= v 1) (= d1 1) (= v1 0) (= i1 (- (+ i d v) 1))) (inv d1 v1 i1))))
(assert (forall ((d Int) (v Int) (i Int) (d1 Int) (i1 Int)) (=> (and (inv d v i) (>= i 1) (= d1 (+ d 1)) (= i1 (- i 1))) (inv d1 v i1))))
(assert (forall ((d Int) (v Int) (i Int)) (=> (and (inv d v i) (>= d 3)) false)))
(check-sat)
