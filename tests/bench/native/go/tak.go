// Takeuchi's function.
package main

func tak(x, y, z int) int {
	if y >= x {
		return z
	}
	return tak(tak(x-1, y, z), tak(y-1, z, x), tak(z-1, x, y))
}

func run() string {
	var all []int
	for i := 0; i < 60; i++ {
		all = append(all, tak(18, 12, 6))
	}
	return text(all)
}

func main() { bench(run) }
