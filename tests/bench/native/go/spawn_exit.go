// Goroutines that end at once, waited for one after the other and 1,000 at a time.
package main

func run() string {
	done := make(chan struct{}, 1000)
	for i := 0; i < 50000; i++ {
		go func() { done <- struct{}{} }()
		<-done
	}
	for i := 0; i < 100; i++ {
		for k := 0; k < 1000; k++ {
			go func() { done <- struct{}{} }()
		}
		for k := 0; k < 1000; k++ {
			<-done
		}
	}
	return "done"
}

func main() { benchOperations(150000, "ns/process", run) }
