// The same with a window of 128 messages under way.
package main

func run() string {
	const window = 128
	type ping struct{ from chan struct{} }
	pings, pongs := make(chan ping, window), make(chan struct{}, window)
	go func() {
		for p := range pings {
			p.from <- struct{}{}
		}
	}()
	for i := 0; i < window; i++ {
		pings <- ping{pongs}
	}
	for i := 0; i < 500000-window; i++ {
		<-pongs
		pings <- ping{pongs}
	}
	for i := 0; i < window; i++ {
		<-pongs
	}
	close(pings)
	return "done"
}

func main() { benchOperations(500000, "ns/trip", run) }
