; sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((i Int) (n Int) (k Int)) (=> (and (= n 0) (= i 0) (>= k 0)) (inv i n k))))
(assert (forall ((i Int) (n Int) (k Int) (i1 Int) (n1 Int) (k1 Int)) (=> (and (inv i n k) (and (< i (* 2 k)) (= (mod i 2) 0)) (= i1 (+ i 1)) (= n1 (+ n 1)) (= k1 k)) (inv i1 n1 k1))))
(assert (forall ((i Int) (n Int) (k Int) (i1 Int) (n1 Int) (k1 Int)) (=> (and (inv i n k) (and (< i (* 2 k)) (not (= (mod i 2) 0))) (= i1 (+ i 1)) (= n1 n) (= k1 k)) (inv i1 n1 k1))))
(assert (forall ((i Int) (n Int) (k Int)) (=> (and (inv i n k) (and (>= i (* 2 k)) (not (= n k)))) false)))
(check-sat)
