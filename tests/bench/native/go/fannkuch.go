// Flips of all permutations.
package main

func flips(cards []int) int {
	p := append([]int{}, cards...)
	count := 0
	for ; p[0] != 1; count++ {
		for i, j := 0, p[0]-1; i < j; i, j = i+1, j-1 {
			p[i], p[j] = p[j], p[i]
		}
	}
	return count
}

func permute(left, chosen []int, most int) int {
	if len(left) == 0 {
		if n := flips(chosen); n > most {
			return n
		}
		return most
	}
	for i, x := range left {
		rest := append(append([]int{}, left[:i]...), left[i+1:]...)
		most = permute(rest, append([]int{x}, chosen...), most)
	}
	return most
}

func run() string { return text(permute([]int{1, 2, 3, 4, 5, 6, 7, 8}, nil, 0)) }

func main() { bench(run) }
