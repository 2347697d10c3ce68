// The game of life, its cells in maps.
package main

import "sort"

type cell struct{ x, y int }
type world map[cell]int

func step(w world) world {
	counts, next := world{}, world{}
	for c := range w {
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				if dx != 0 || dy != 0 {
					counts[cell{c.x + dx, c.y + dy}]++
				}
			}
		}
	}
	for c, n := range counts {
		if n == 3 || n == 2 && w[c] != 0 {
			next[c] = n
		}
	}
	return next
}

func run() string {
	w := world{}
	for _, c := range []cell{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {20, 20}, {21, 20}, {22, 20}, {30, 5},
		{31, 5}, {30, 6}, {32, 6}, {31, 7}, {10, 30}, {11, 30}, {12, 30}, {12, 31}, {11, 29}} {
		w[c] = 1
	}
	for i := 0; i < 300; i++ {
		w = step(w)
	}
	var cells []cell
	for c := range w {
		cells = append(cells, c)
	}
	sort.Slice(cells, func(i, j int) bool {
		a, b := cells[i], cells[j]
		return a.x < b.x || a.x == b.x && a.y < b.y
	})
	var hash phash2
	for _, c := range cells {
		hash.tuple(2)
		hash.number(c.x)
		hash.number(c.y)
	}
	hash.empty()
	return "hash:" + text(hash.value())
}

func main() { bench(run) }
