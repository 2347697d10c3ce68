// A rod cut into 32 pieces, one goroutine each; neighbours exchange their borders at each step.
package main

const steps = 400

func rod(k int, fromLeft, fromRight <-chan float64, toLeft, toRight chan<- float64) float64 {
	cells := make([]float64, 50)
	for i := range cells {
		cells[i] = float64((k*37 + (i+1)*11) % 100)
	}
	tell := func(to chan<- float64, x float64) {
		if to != nil {
			to <- x
		}
	}
	hear := func(from <-chan float64) float64 {
		if from == nil {
			return 0
		}
		return <-from
	}
	for n := 0; n < steps; n++ {
		tell(toLeft, cells[0])
		tell(toRight, cells[len(cells)-1])
		l, r := hear(fromLeft), hear(fromRight)
		next := make([]float64, len(cells))
		for i, x := range cells {
			y := r
			if i+1 < len(cells) {
				y = cells[i+1]
			}
			next[i] = x + 0.1*(l-2.0*x+y)
			l = x
		}
		cells = next
	}
	sum := 0.0
	for _, x := range cells {
		sum += x
	}
	return sum
}

func run() string {
	const pieces = 32
	var rights, lefts [pieces + 1]chan float64 // between piece i and piece i + 1; none at the ends
	for i := 1; i < pieces; i++ {
		rights[i], lefts[i] = make(chan float64, 2), make(chan float64, 2)
	}
	var heats [pieces]chan float64
	for i := range heats {
		heats[i] = make(chan float64, 1)
		go func(i int) { heats[i] <- rod(i+1, rights[i], lefts[i+1], lefts[i], rights[i+1]) }(i)
	}
	sum := 0.0
	for _, heat := range heats {
		sum += <-heat
	}
	return text(sum)
}

func main() { bench(run) }
