// Spectral norm of an infinite matrix.
package main

import "math"

const size = 130

func a(i, j int) float64 { return 1.0 / float64((i+j)*(i+j+1)/2+i+1) }

func transposed(i, j int) float64 { return a(j, i) }

func times(matrix func(i, j int) float64, v []float64) []float64 {
	var product []float64
	for i := 0; i < size; i++ {
		sum := 0.0
		for j, x := range v {
			sum += matrix(i, j) * x
		}
		product = append(product, sum)
	}
	return product
}

func dot(v, w []float64) float64 {
	sum := 0.0
	for i := range v {
		sum += v[i] * w[i]
	}
	return sum
}

func run() string {
	u, v := make([]float64, size), []float64{}
	for i := range u {
		u[i] = 1
	}
	for i := 0; i < 10; i++ {
		v = times(transposed, times(a, u))
		u = times(transposed, times(a, v))
	}
	return text(math.Sqrt(dot(u, v) / dot(v, v)))
}

func main() { bench(run) }
