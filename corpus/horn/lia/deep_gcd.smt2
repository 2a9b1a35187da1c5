; unsat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (= a 610) (= b 377) (= c 0)) (inv a b c))))
(assert (forall ((a Int) (b Int) (c Int) (a1 Int) (b1 Int) (c1 Int)) (=> (and (inv a b c) (> a b) (= a1 (- a b)) (= b1 b) (= c1 (+ c 1))) (inv a1 b1 c1))))
(assert (forall ((a Int) (b Int) (c Int) (a1 Int) (b1 Int) (c1 Int)) (=> (and (inv a b c) (< a b) (= a1 a) (= b1 (- b a)) (= c1 (+ c 1))) (inv a1 b1 c1))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (inv a b c) (and (= a b) (>= c 10))) false)))
(check-sat)
