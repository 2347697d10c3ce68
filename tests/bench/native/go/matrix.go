// Matrix product of integers.
package main

const size = 90

type matrix [][]int

func empty() matrix {
	m := make(matrix, size)
	for r := range m {
		m[r] = make([]int, size)
	}
	return m
}

func product(a, b matrix) matrix {
	columns, result := empty(), empty()
	for r, row := range b {
		for c, x := range row {
			columns[c][r] = x
		}
	}
	for r, row := range a {
		for c, column := range columns {
			for k, x := range row {
				result[r][c] += x * column[k]
			}
		}
	}
	return result
}

func run() string {
	a := empty()
	for r := range a {
		for c := range a[r] {
			a[r][c] = ((r+1)*3 + c + 1) % 11
		}
	}
	sum := 0
	for _, row := range product(a, product(a, product(a, a))) {
		for _, x := range row {
			sum += x
		}
	}
	return text(sum)
}

func main() { bench(run) }
