// Primes by filtering slices, and by striking multiples out of one.
package main

func filtered(max int) int {
	var left []int
	for n := 2; n <= max; n++ {
		left = append(left, n)
	}
	for primes := 0; ; primes++ {
		p := left[0]
		if p*p > max {
			return primes + len(left)
		}
		var next []int
		for _, n := range left[1:] {
			if n%p != 0 {
				next = append(next, n)
			}
		}
		left = next
	}
}

func struck(max int) int {
	var left []int
	for n := 3; n <= max; n += 2 {
		left = append(left, n)
	}
	for primes := 1; ; primes++ {
		p := left[0]
		if p*p > max {
			return primes + len(left)
		}
		var next []int
		multiple := p * p
		for _, n := range left[1:] {
			for multiple < n {
				multiple += 2 * p
			}
			if n != multiple {
				next = append(next, n)
			}
		}
		left = next
	}
}

func run() string { return tuple(filtered(12000), struck(400000)) }

func main() { bench(run) }
