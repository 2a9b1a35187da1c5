; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int) (d Int)) (=> (and (= a 0) (= b 0) (= c 0) (= d 0)) (inv a b c d))))
(assert (forall ((a Int) (b Int) (c Int) (d Int) (a1 Int) (b1 Int) (c1 Int) (d1 Int) (i Int)) (=> (and (inv a b c d) true (= a1 (ite (> i 0) (+ a 1) a)) (= b1 (ite (> i 0) b (+ b 1))) (= c1 (+ c 1)) (= d1 (ite (> a b) 1 0))) (inv a1 b1 c1 d1))))
(assert (forall ((a Int) (b Int) (c Int) (d Int)) (=> (and (inv a b c d) (or (not (= c (+ a b))) (and (= d 1) (< a b)))) false)))
(check-sat)
