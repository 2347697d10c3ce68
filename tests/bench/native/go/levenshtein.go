// Edit distance row by row.
package main

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func distance(a, b []byte) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for n, x := range a {
		next := make([]int, 1, len(row))
		next[0] = n + 1
		for i, y := range b {
			cost := row[i]
			if x != y {
				cost++
			}
			next = append(next, min(cost, min(row[i+1], next[i])+1))
		}
		row = next
	}
	return row[len(b)]
}

func run() string {
	var words [][]byte
	for n := 1; n <= 60; n++ {
		var word []byte
		for k := 1; k <= 8+n%9; k++ {
			word = append(word, byte('a'+n*k*7%26))
		}
		words = append(words, word)
	}
	sum := 0
	for _, a := range words {
		for _, b := range words {
			sum += distance(a, b)
		}
	}
	return text(sum)
}

func main() { bench(run) }
