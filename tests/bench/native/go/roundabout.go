// One goroutine sends in turn to 120 others, which each count.
package main

func run() string {
	const per = 600000 / 120
	done := make(chan struct{})
	var counters []chan int
	for i := 0; i < 120; i++ {
		numbers := make(chan int, 128)
		counters = append(counters, numbers)
		go func() {
			for n := 0; n < per; n++ {
				<-numbers
			}
			done <- struct{}{}
		}()
	}
	for n := per; n > 0; n-- {
		for _, c := range counters {
			c <- n
		}
	}
	for range counters {
		<-done
	}
	return text(len(counters))
}

func main() { benchOperations(600000, "ns/message", run) }
