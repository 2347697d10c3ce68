// The longest Collatz chain.
package main

func steps(n int) int {
	s := 1
	for ; n != 1; s++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return s
}

func run() string {
	best, start := 0, 0
	for n := 60000; n > 0; n-- {
		if s := steps(n); s > best {
			best, start = s, n
		}
	}
	return tuple(best, start)
}

func main() { bench(run) }
