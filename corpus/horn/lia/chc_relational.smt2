; sat
(set-logic HORN)
(declare-fun r (Int Int Int Int) Bool)
(assert (forall ((i Int) (s Int) (j Int) (t Int)) (=> (and (= i 0) (= s 0) (= j 0) (= t 0)) (r i s j t))))
(assert (forall ((i Int) (s Int) (j Int) (t Int) (i1 Int) (s1 Int) (j1 Int) (t1 Int)) (=> (and (r i s j t) (= i1 (+ i 1)) (= s1 (+ s i)) (= j1 (+ j 1)) (= t1 (+ t j))) (r i1 s1 j1 t1))))
(assert (forall ((i Int) (s Int) (j Int) (t Int)) (=> (and (r i s j t) (= i j) (not (= s t))) false)))
(check-sat)
