; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((ok Int) (c Int) (t Int) (r Int)) (=> (and (= ok 1) (= c 0) (= t 0) (= r 0)) (inv ok c t r))))
(assert (forall ((ok Int) (c Int) (t Int) (r Int) (ok1 Int) (c1 Int) (t1 Int) (r1 Int) (i Int)) (=> (and (inv ok c t r) true (= ok1 ok) (= c1 (ite (= i 0) 0 (ite (< c 10) (+ c 1) c))) (= t1 (ite (>= c 10) 1 t)) (= r1 (ite (and (= t 1) (= i 0)) 1 r))) (inv ok1 c1 t1 r1))))
(assert (forall ((ok Int) (c Int) (t Int) (r Int)) (=> (and (inv ok c t r) (or (> c 10) (and (= r 1) (= t 0)))) false)))
(check-sat)
