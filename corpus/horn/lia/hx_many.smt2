; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int) (d Int) (e Int)) (=> (and (= a 0) (= b 0) (= c 0) (= d 0) (= e 0)) (inv a b c d e))))
(assert (forall ((a Int) (b Int) (c Int) (d Int) (e Int) (a1 Int) (b1 Int) (c1 Int) (d1 Int) (e1 Int) (k Int)) (=> (and (inv a b c d e) true (= a1 (+ a 1)) (= b1 (+ b 2)) (= c1 (+ c 3)) (= d1 (+ d (ite (> k 0) 1 0))) (= e1 (+ e (ite (> k 0) 0 1)))) (inv a1 b1 c1 d1 e1))))
(assert (forall ((a Int) (b Int) (c Int) (d Int) (e Int)) (=> (and (inv a b c d e) (not (= (+ a b c) (* 6 (+ d e))))) false)))
(check-sat)
