// The integral of exp(-x*x), its range cut into pieces for 64 goroutines.
package main

import "math"

func integrate(x, width float64, steps int) float64 {
	h, sum := width/float64(steps), 0.0
	for ; steps > 0; steps-- {
		sum += math.Exp(-x * x)
		x += h
	}
	return sum * h
}

func run() string {
	const pieces = 64
	var parts [pieces]chan float64
	width := 10.0 / float64(pieces)
	for k := range parts {
		parts[k] = make(chan float64, 1)
		go func(k int) { parts[k] <- integrate(-5.0+float64(k)*width, width, 5000) }(k)
	}
	sum := 0.0
	for _, part := range parts {
		sum += <-part
	}
	return text(sum)
}

func main() { bench(run) }
