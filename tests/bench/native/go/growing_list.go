// A list of 600,000 pairs, for the collector.
package main

type inner struct {
	n    int
	next *inner
}
type pair struct {
	n    int
	list *inner
}
type outer struct {
	pair *pair
	next *outer
}

func growAndSum() int {
	var all *outer
	for n := 600000; n > 0; n-- {
		all = &outer{&pair{n, &inner{n, nil}}, all}
	}
	sum := 0
	for ; all != nil; all = all.next {
		sum += all.pair.list.n
	}
	return sum
}

func run() string { return text([]int{growAndSum(), growAndSum()}) }

func main() { bench(run) }
