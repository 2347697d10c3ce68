// 60 goroutines get 10,000 messages each, in turn, and do a little work at each.
package main

import "math"

func run() string {
	const messages = 10000
	done := make(chan float64, 60)
	var workers []chan struct{}
	for i := 0; i < 60; i++ {
		work := make(chan struct{}, 128)
		workers = append(workers, work)
		go func() {
			x := 0.0
			for n := 0; n < messages; n++ {
				<-work
				x += math.Sin(37.2) * math.Sin(37.2)
			}
			done <- x
		}()
	}
	for i := 0; i < messages; i++ {
		for _, w := range workers {
			w <- struct{}{}
		}
	}
	for range workers {
		<-done
	}
	return text(len(workers))
}

func main() { benchOperations(600000, "ns/message", run) }
