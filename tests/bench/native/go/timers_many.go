// 300,000 timers: a third fires, all others are asked and cancelled.
package main

import "time"

func run() string {
	const near, far = 100000, 200000
	fired := make(chan int, near)
	for n := 1; n <= near; n++ {
		n := n
		time.AfterFunc(time.Duration(10+n%50)*time.Millisecond, func() { fired <- n })
	}
	var timers []*time.Timer
	for n := 1; n <= far; n++ {
		timers = append(timers, time.AfterFunc(time.Duration(3600000+n)*time.Millisecond, func() {}))
	}
	cancelled := 0
	for _, t := range timers {
		if t.Stop() {
			cancelled++
		}
	}
	sum := 0
	for i := 0; i < near; i++ {
		sum += <-fired
	}
	return tuple(len(timers), cancelled, sum)
}

func main() { benchOperations(300000, "ns/timer", run) }
