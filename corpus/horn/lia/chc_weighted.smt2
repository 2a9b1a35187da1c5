; sat
(set-logic HORN)
(declare-fun p (Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (= a 0) (= b 0) (= c 0)) (p a b c))))
(assert (forall ((a Int) (b Int) (c Int) (a1 Int) (c1 Int)) (=> (and (p a b c) (= a1 (+ a 1)) (= c1 (+ c 3))) (p a1 b c1))))
(assert (forall ((a Int) (b Int) (c Int) (b1 Int) (c1 Int)) (=> (and (p a b c) (= b1 (+ b 1)) (= c1 (- c 2))) (p a b1 c1))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (p a b c) (not (= c (- (* 3 a) (* 2 b))))) false)))
(check-sat)
