; sat
(set-logic HORN)
(declare-fun q (Int Int Int Int) Bool)
(assert (forall ((h Int) (t Int) (n Int) (cap Int)) (=> (and (= h 0) (= t 0) (= n 0) (> cap 0)) (q h t n cap))))
(assert (forall ((h Int) (t Int) (n Int) (cap Int) (t1 Int) (n1 Int)) (=> (and (q h t n cap) (< n cap) (= t1 (ite (= (+ t 1) cap) 0 (+ t 1))) (= n1 (+ n 1))) (q h t1 n1 cap))))
(assert (forall ((h Int) (t Int) (n Int) (cap Int) (h1 Int) (n1 Int)) (=> (and (q h t n cap) (> n 0) (= h1 (ite (= (+ h 1) cap) 0 (+ h 1))) (= n1 (- n 1))) (q h1 t n1 cap))))
(assert (forall ((h Int) (t Int) (n Int) (cap Int)) (=> (and (q h t n cap) (not (or (= (- t h) n) (= (- (+ t cap) h) n)))) false)))
(assert (forall ((h Int) (t Int) (n Int) (cap Int)) (=> (and (q h t n cap) (or (< h 0) (>= h cap) (< t 0) (>= t cap))) false)))
(check-sat)
