// Naive reverse: cells for the collector.
package main

type cell struct {
	head int
	tail *cell
}

func appended(a, b *cell) *cell {
	if a == nil {
		return b
	}
	return &cell{a.head, appended(a.tail, b)}
}

func reverse(l *cell) *cell {
	if l == nil {
		return nil
	}
	return appended(reverse(l.tail), &cell{l.head, nil})
}

func run() string {
	var list, reversed *cell
	for i := 30; i > 0; i-- {
		list = &cell{i, list}
	}
	for i := 0; i < 60000; i++ {
		reversed = reverse(list)
	}
	var all []int
	for ; reversed != nil; reversed = reversed.tail {
		all = append(all, reversed.head)
	}
	return text(all)
}

func main() { bench(run) }
