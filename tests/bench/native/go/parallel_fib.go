// Fork and join: a goroutine down to a depth, then plain recursion.
package main

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func forked(n, depth int) int {
	if depth == 0 {
		return fib(n)
	}
	result := make(chan int, 1)
	go func() { result <- forked(n-1, depth-1) }()
	b := forked(n-2, depth-1)
	return <-result + b
}

func run() string { return text(forked(30, 10)) }

func main() { bench(run) }
