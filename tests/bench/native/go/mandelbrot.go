// Float arithmetic in a tight loop.
package main

const size = 200

func point(cr, ci float64) int {
	zr, zi := 0.0, 0.0
	for n := 50; n > 0; n-- {
		zr2, zi2 := zr*zr, zi*zi
		if zr2+zi2 > 4.0 {
			return 0
		}
		zr, zi = zr2-zi2+cr, 2.0*zr*zi+ci
	}
	return 1
}

func run() string {
	inside := 0
	for y := 0; y < size; y++ {
		for x := 0; x < size; x++ {
			inside += point(2.0*float64(x)/size-1.5, 2.0*float64(y)/size-1.0)
		}
	}
	return text(inside)
}

func main() { bench(run) }
