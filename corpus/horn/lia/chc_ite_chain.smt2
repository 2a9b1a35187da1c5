; sat
(set-logic HORN)
(declare-fun m (Int Int Int) Bool)
(assert (forall ((m0 Int) (x Int) (y Int)) (=> (and (= m0 1) (= x 0) (= y 0)) (m m0 x y))))
(assert (forall ((m0 Int) (x Int) (y Int) (m1 Int) (x1 Int) (y1 Int)) (=> (let ((a!1 (ite (= m0 1) (ite (>= x 2000) 2 1) (ite (= m0 2) (ite (<= x 0) 3 2) 3)))
 (a!2 (ite (= m0 1) (+ x 2) (ite (= m0 2) (- x 2) x))) (a!3 (ite (= m0 3) (+ y 1) y))) (and (m m0 x y) (= m1 a!1) (= x1 a!2) (= y1 a!3))) (m m1 x1 y1))))
(assert (forall ((m0 Int) (x Int) (y Int)) (=> (and (m m0 x y) (or (> x 2002) (< x (- 2)) (< y 0) (and (> y 0) (not (= m0 3))))) false)))
(check-sat)
