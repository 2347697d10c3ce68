// Trees for the collector.
package main

type node struct{ left, right *node }

func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

func check(n *node) int {
	if n.left == nil {
		return 1
	}
	return 1 + check(n.left) + check(n.right)
}

func run() string {
	allAlong := grow(16)
	var checks []int
	for depth := 4; depth <= 15; depth++ {
		for i := 0; i < 1<<(16-depth); i++ {
			checks = append(checks, check(grow(depth)))
		}
	}
	var hash phash2
	hash.tuple(2)
	hash.list(checks)
	hash.number(check(allAlong))
	return "hash:" + text(hash.value())
}

func main() { bench(run) }
