// Digits of pi by a spigot, with math/big.
package main

import "math/big"

func number(n int) *big.Int { return big.NewInt(int64(n)) }

func times(a *big.Int, n int) *big.Int { return new(big.Int).Mul(a, number(n)) }

func plus(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }

func run() string {
	q, r, t, k := number(1), number(0), number(1), 1
	var digits []int
	for len(digits) < 900 {
		y := plus(times(q, 3), r)
		y.Div(y, t)
		again := plus(times(q, 4), r)
		if again.Div(again, t).Cmp(y) == 0 {
			digit := int(y.Int64())
			digits = append(digits, digit)
			r = times(plus(r, times(t, -digit)), 10)
			q = times(q, 10)
		} else {
			r = times(plus(times(q, 2), r), 2*k+1)
			q = times(q, k)
			t = times(t, 2*k+1)
			k++
		}
	}
	var hash phash2
	hash.list(digits)
	return text(hash.value())
}

func main() { bench(run) }
