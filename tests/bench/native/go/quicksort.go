// The textbook's quicksort that copies, over pseudo-random numbers.
package main

func numbers(x int) []int {
	const count = 50000
	all := make([]int, count)
	for i := count - 1; i >= 0; i, x = i-1, nextRandom(x) {
		all[i] = x
	}
	return all
}

func sorted(all []int) []int {
	if len(all) == 0 {
		return nil
	}
	var less, others []int
	for _, x := range all[1:] {
		if x < all[0] {
			less = append(less, x)
		} else {
			others = append(others, x)
		}
	}
	return append(append(sorted(less), all[0]), sorted(others)...)
}

func run() string {
	var hash phash2
	for seed := 1; seed <= 4; seed++ {
		hash.list(sorted(numbers(seed)))
	}
	hash.empty()
	return text(hash.value())
}

func main() { bench(run) }
