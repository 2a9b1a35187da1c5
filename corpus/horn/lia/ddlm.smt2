; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (i Int) (j Int) (f Int)) (=> (and (= a 0) (= b 0) (= j 1) (ite (= f 1) (= i 0) (= i 1))) (inv a b i j f))))
(assert (forall ((a Int) (b Int) (i Int) (j Int) (f Int) (a1 Int) (b1 Int) (i1 Int) (j1 Int) (f1 Int)) (=> (and (inv a b i j f) true (= a1 (+ a 1)) (= b1 (+ b (- j i))) (= i1 (+ i 2)) (= j1 (ite (= (mod i 2) 0) (+ j 2) (+ j 1))) (= f1 f)) (inv a1 b1 i1 j1 f1))))
(assert (forall ((a Int) (b Int) (i Int) (j Int) (f Int)) (=> (and (inv a b i j f) (and (= f 1) (not (= a b)))) false)))
(check-sat)
