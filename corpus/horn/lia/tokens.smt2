; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int) (n Int)) (=> (and (= a n) (= b 0) (= c 0) (>= n 0)) (inv a b c n))))
(assert (forall ((a Int) (b Int) (c Int) (n Int) (a1 Int) (b1 Int) (c1 Int) (n1 Int)) (=> (and (inv a b c n) (> a 0) (= a1 (- a 1)) (= b1 (+ b 1)) (= c1 c) (= n1 n)) (inv a1 b1 c1 n1))))
(assert (forall ((a Int) (b Int) (c Int) (n Int) (a1 Int) (b1 Int) (c1 Int) (n1 Int)) (=> (and (inv a b c n) (> b 1) (= a1 a) (= b1 (- b 2)) (= c1 (+ c 1)) (= n1 n)) (inv a1 b1 c1 n1))))
(assert (forall ((a Int) (b Int) (c Int) (n Int) (a1 Int) (b1 Int) (c1 Int) (n1 Int)) (=> (and (inv a b c n) (> c 0) (= a1 (+ a 2)) (= b1 b) (= c1 (- c 1)) (= n1 n)) (inv a1 b1 c1 n1))))
(assert (forall ((a Int) (b Int) (c Int) (n Int)) (=> (and (inv a b c n) (> c n)) false)))
(check-sat)
