// 20,000 goroutines made, each does one piece of work and ends.
package main

import "math"

func run() string {
	const count = 20000
	results := make(chan int, count)
	for i := 0; i < count; i++ {
		work := make(chan struct{}, 1)
		go func() {
			<-work
			results <- int(math.Round(100 * math.Sin(37.2) * math.Sin(37.2)))
		}()
		work <- struct{}{}
	}
	sum := 0
	for i := 0; i < count; i++ {
		sum += <-results
	}
	return text(sum)
}

func main() { benchOperations(20000, "ns/process", run) }
