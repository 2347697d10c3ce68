// Shortest paths on a grid with a heap and a map.
package main

import "container/heap"

const size = 70

type node struct{ x, y int }
type entry struct {
	distance int
	node
}
type queue []entry

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].distance < q[j].distance }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(e any)        { *q = append(*q, e.(entry)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func cost(n node) int { return (n.x*7+n.y*13+n.x*n.y)%17 + 1 }

func run() string {
	q, done := &queue{{0, node{1, 1}}}, map[node]int{}
	for q.Len() > 0 {
		e := heap.Pop(q).(entry)
		if _, seen := done[e.node]; seen {
			continue
		}
		done[e.node] = e.distance
		for _, n := range []node{{e.x + 1, e.y}, {e.x - 1, e.y}, {e.x, e.y + 1}, {e.x, e.y - 1}} {
			if n.x >= 1 && n.x <= size && n.y >= 1 && n.y <= size {
				heap.Push(q, entry{e.distance + cost(n), n})
			}
		}
	}
	return tuple(len(done), done[node{size, size}])
}

func main() { bench(run) }
