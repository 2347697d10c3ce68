// 240 goroutines, each asks random others and waits for the answer, 800 times.
package main

type message struct{ from *worker } // nobody: an answer

type worker struct{ inbox chan message }

func (w *worker) ask(x int, all []*worker) {
	for i := 0; i < 800; i++ {
		all[(x>>8)%len(all)].inbox <- message{w}
		for m := range w.inbox {
			if m.from == nil {
				break
			}
			m.from.inbox <- message{}
		}
		x = nextRandom(x)
	}
}

func run() string {
	var all []*worker
	for i := 0; i < 240; i++ {
		all = append(all, &worker{make(chan message, 241)}) // room for each other's question and an answer
	}
	done := make(chan struct{})
	for i, w := range all {
		go func(w *worker, n int) {
			w.ask(n*7919, all)
			done <- struct{}{}
			for m := range w.inbox {
				m.from.inbox <- message{}
			}
		}(w, i+1)
	}
	for range all {
		<-done
	}
	for _, w := range all {
		close(w.inbox)
	}
	return text(len(all))
}

func main() { benchOperations(192000, "ns/trip", run) }
