// Two goroutines, one message under way.
package main

func run() string {
	type ping struct{ from chan struct{} }
	pings, pongs := make(chan ping), make(chan struct{})
	go func() {
		for p := range pings {
			p.from <- struct{}{}
		}
	}()
	for i := 0; i < 200000; i++ {
		pings <- ping{pongs}
		<-pongs
	}
	close(pings)
	return "done"
}

func main() { benchOperations(200000, "ns/trip", run) }
