// Calls.
package main

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func run() string { return text(fib(31)) }

func main() { bench(run) }
