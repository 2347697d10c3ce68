// Deep recursion.
package main

func ack(m, n int) int {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ack(m-1, 1)
	}
	return ack(m-1, ack(m, n-1))
}

func run() string { return text([]int{ack(3, 9), ack(3, 9), ack(3, 9)}) }

func main() { bench(run) }
