// All solutions of the ten queens, as lists that share their tails.
package main

type cell struct {
	head int
	tail *cell
}

func safe(q int, qs *cell) bool {
	for d := 1; qs != nil; qs, d = qs.tail, d+1 {
		if q == qs.head || q == qs.head+d || q == qs.head-d {
			return false
		}
	}
	return true
}

func queens(k, n int) []*cell {
	if k == 0 {
		return []*cell{nil}
	}
	var boards []*cell
	for _, qs := range queens(k-1, n) {
		for q := 1; q <= n; q++ {
			if safe(q, qs) {
				boards = append(boards, &cell{q, qs})
			}
		}
	}
	return boards
}

func run() string { return text(len(queens(10, 10))) }

func main() { bench(run) }
