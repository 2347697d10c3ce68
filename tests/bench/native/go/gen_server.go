// Requests of so many clients as the name says to one server, each with a channel for its answers.
package main

type request struct {
	add   bool
	reply chan int
}

func run() string {
	const calls = 80000
	server, done := make(chan request), make(chan struct{})
	go func() {
		n := 0
		for r := range server {
			if r.add {
				n++
			}
			r.reply <- n
		}
	}()
	clients := numberInName()
	for i := 0; i < clients; i++ {
		go func() {
			reply := make(chan int)
			for k := 0; k < calls/clients; k++ {
				server <- request{true, reply}
				<-reply
			}
			done <- struct{}{}
		}()
	}
	for i := 0; i < clients; i++ {
		<-done
	}
	reply := make(chan int)
	server <- request{false, reply}
	defer close(server)
	return text(<-reply)
}

func main() { benchOperations(80000, "ns/call", run) }
