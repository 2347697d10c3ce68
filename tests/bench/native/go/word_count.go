// Words of a text counted in a map, then sorted.
package main

import (
	"sort"
	"strconv"
	"strings"
)

func run() string {
	var words []string
	for i, x := 0, 7; i < 40000; i++ {
		x = nextRandom(x)
		words = append(words, "w"+strconv.Itoa((x>>8)%3000)+" ")
	}
	var all strings.Builder
	for i := len(words) - 1; i >= 0; i-- {
		all.WriteString(words[i])
	}

	counts := map[string]int{}
	var word []byte
	for _, c := range []byte(all.String()) {
		if c != ' ' {
			word = append(word, c)
		} else {
			counts[string(word)]++
			word = word[:0]
		}
	}
	var sorted []string
	for word := range counts {
		sorted = append(sorted, word)
	}
	sort.Slice(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		return counts[a] > counts[b] || counts[a] == counts[b] && a < b
	})
	var first []string
	for _, word := range sorted[:5] {
		first = append(first, tuple(binary([]byte(word)), counts[word]))
	}
	return tuple(len(counts), first)
}

func main() { bench(run) }
