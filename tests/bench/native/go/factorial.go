// Factorials and their decimal digits, with math/big.
package main

import "math/big"

func run() string {
	sum := 0
	for n := 600; n <= 1400; n += 10 {
		product := big.NewInt(1)
		for i := n; i > 0; i-- {
			product.Mul(product, big.NewInt(int64(i)))
		}
		for _, digit := range product.String() {
			sum += int(digit - '0')
		}
	}
	return text(sum)
}

func main() { bench(run) }
