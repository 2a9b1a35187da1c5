; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (r Int) (c Int)) (=> (and (<= a 1000000) (>= b 0) (<= b 1000000) (= r a) (= c b)) (inv a b r c))))
(assert (forall ((a Int) (b Int) (r Int) (c Int) (a1 Int) (b1 Int) (r1 Int) (c1 Int)) (=> (and (inv a b r c) (> c 0) (= a1 a) (= b1 b) (= r1 (+ r 1)) (= c1 (- c 1))) (inv a1 b1 r1 c1))))
(assert (forall ((a Int) (b Int) (r Int) (c Int)) (=> (and (inv a b r c) (and (<= c 0) (not (= r (+ a b))))) false)))
(check-sat)
