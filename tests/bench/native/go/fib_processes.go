// Fibonacci with a goroutine for each call.
package main

func fib(parent chan<- int, n int) {
	if n < 2 {
		parent <- n
		return
	}
	results := make(chan int)
	go fib(results, n-1)
	go fib(results, n-2)
	parent <- <-results + <-results
}

func run() string {
	result := make(chan int)
	go fib(result, 21)
	return text(<-result)
}

func main() { benchOperations(35421, "ns/process", run) }
