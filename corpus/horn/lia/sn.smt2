; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((s Int) (i Int) (n Int)) (=> (and (= s 0) (= i 1) (>= n 0)) (inv s i n))))
(assert (forall ((s Int) (i Int) (n Int) (s1 Int) (i1 Int) (n1 Int)) (=> (and (inv s i n) (<= i n) (= s1 (+ s 2)) (= i1 (+ i 1)) (= n1 n)) (inv s1 i1 n1))))
(assert (forall ((s Int) (i Int) (n Int)) (=> (and (inv s i n) (and (> i n) (not (= s (* 2 n))))) false)))
(check-sat)
