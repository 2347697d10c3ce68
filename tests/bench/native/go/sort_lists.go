// The sorts of the library, by value, by key, without duplicates and by a function.
package main

import "sort"

func run() string {
	const count = 60000
	numbers := make([]int, count)
	for i, x := count-1, 42; i >= 0; i, x = i-1, nextRandom(x) {
		numbers[i] = x
	}
	type pair struct{ x, key int }
	var pairs []pair
	var small, unique []int
	for _, x := range numbers {
		pairs = append(pairs, pair{x, x % 1000})
		small = append(small, x%5000)
	}
	sorted := append([]int{}, numbers...)
	falling := append([]int{}, numbers...)
	sort.Ints(sorted)
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i].key < pairs[j].key })
	sort.Ints(small)
	for i, x := range small {
		if i == 0 || small[i-1] != x {
			unique = append(unique, x)
		}
	}
	sort.SliceStable(falling, func(i, j int) bool { return falling[i] > falling[j] })
	var hash phash2
	hash.tuple(4)
	hash.list(sorted)
	for _, p := range pairs {
		hash.tuple(2)
		hash.number(p.x)
		hash.number(p.key)
	}
	hash.empty()
	hash.list(unique)
	hash.list(falling)
	return text(hash.value())
}

func main() { bench(run) }
