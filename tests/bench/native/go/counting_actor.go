// One goroutine floods another, which adds up.
package main

func run() string {
	numbers, sum := make(chan int, 1024), make(chan int)
	go func() {
		s := 0
		for n := range numbers {
			s += n
		}
		sum <- s
	}()
	for n := 1000000; n > 0; n-- {
		numbers <- n
	}
	close(numbers)
	return text(<-sum)
}

func main() { benchOperations(1000000, "ns/message", run) }
