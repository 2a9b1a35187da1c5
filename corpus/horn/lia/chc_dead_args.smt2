; sat
(set-logic HORN)
(declare-fun p (Int Int Int Int Int Int Int Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int) (d Int) (e Int) (f Int) (g Int) (h Int) (i Int) (j Int)) (=> (and (= a 0) (= b 0) (= c d)) (p a b c d e f g h i j))))
(assert (forall ((a Int) (b Int) (c Int) (d Int) (e Int) (f Int) (g Int) (h Int) (i Int) (j Int) (a1 Int) (b1 Int) (e1 Int) (f1 Int) (g1 Int) (h1 Int))
 (=> (and (p a b c d e f g h i j) (= a1 (+ a e)) (= b1 (+ b e)) (= e1 (* 2 f)) (= f1 (+ e g)) (= g1 (- h i)) (= h1 a)) (p a1 b1 c d e1 f1 g1 h1 i j))))
(assert (forall ((a Int) (b Int) (c Int) (d Int) (e Int) (f Int) (g Int) (h Int) (i Int) (j Int)) (=> (and (p a b c d e f g h i j) (or (not (= a b)) (not (= c d)))) false)))
(check-sat)
