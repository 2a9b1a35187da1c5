; sat
(set-logic HORN)
(declare-fun inv (Int Int Int Int Int) Bool)
(assert (forall ((i Int) (n Int) (a Int) (b Int) (c Int)) (=> (and (= i 0) (= a 0) (= b 0) (>= n 0) (<= n 1000000)) (inv i n a b c))))
(assert (forall ((i Int) (n Int) (a Int) (b Int) (c Int) (i1 Int) (n1 Int) (a1 Int) (b1 Int) (c1 Int)) (=> (and (inv i n a b c) (< i n) (= i1 (+ i 1)) (= n1 n) (= a1 (+ a 1)) (= b1 (+ b 2)) (= c1 c)) (inv i1 n1 a1 b1 c1))))
(assert (forall ((i Int) (n Int) (a Int) (b Int) (c Int) (i1 Int) (n1 Int) (a1 Int) (b1 Int) (c1 Int)) (=> (and (inv i n a b c) (< i n) (= i1 (+ i 1)) (= n1 n) (= a1 (+ a 2)) (= b1 (+ b 1)) (= c1 c)) (inv i1 n1 a1 b1 c1))))
(assert (forall ((i Int) (n Int) (a Int) (b Int) (c Int)) (=> (and (inv i n a b c) (and (>= i n) (not (= (+ a b) (+ n n n))))) false)))
(check-sat)
