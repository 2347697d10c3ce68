// One token round a ring of goroutines, as many as the name says.
package main

func member(in <-chan int, out chan<- int, done chan<- struct{}) {
	for n := range in {
		if n == 0 {
			done <- struct{}{}
			break
		}
		out <- n - 1
	}
	close(out)
}

func run() string {
	done := make(chan struct{}, 1)
	first := make(chan int)
	in := first
	for i := numberInName(); i > 1; i-- {
		out := make(chan int)
		go member(in, out, done)
		in = out
	}
	go member(in, first, done)
	first <- 500000
	<-done
	return "done"
}

func main() { benchOperations(500000, "ns/pass", run) }
