; sat
(set-logic HORN)
(declare-fun p (Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (= a 100) (= b 200) (= c 300)) (p a b c))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (p a b c) (p b c a))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (p a b c) (p b a c))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (p a b c) (not (= (+ a b c) 600))) false)))
(check-sat)
