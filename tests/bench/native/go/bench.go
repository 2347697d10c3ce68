// Runs a program as bench_driver.erl runs its equivalent: `PROGRAM NAME TIMES`, once to warm up and then TIMES
// times, with the same lines as output. Results are texts, written as Erlang writes them.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func cpuTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// In milliseconds.
func bench(run func() string) { benchOperations(1e6, "ms", run) }

// In nanoseconds for each of so many operations.
func benchOperations(operations float64, unit string, run func() string) {
	times, _ := strconv.Atoi(os.Args[2])
	result := run()
	for ; times > 0; times-- {
		cpu, start := cpuTime(), time.Now()
		again := run()
		elapsed := time.Since(start)
		cpu = cpuTime() - cpu
		if again != result {
			fmt.Fprintln(os.Stderr, "results differ")
			os.Exit(1)
		}
		fmt.Printf("%s %s %.3f %.3f\n", os.Args[1], unit, float64(elapsed)/operations, float64(cpu)/1e6)
	}
	fmt.Println("result", result)
}

// N of a name such as thread_ring_N.
func numberInName() int {
	n, _ := strconv.Atoi(os.Args[1][strings.LastIndex(os.Args[1], "_")+1:])
	return n
}

// The generator of most programs.
func nextRandom(x int) int { return (x*1103515245 + 12345) & 0x7fffffff }

// A term as Erlang prints it: integers, floats, strings as they are, lists of them.
func text(x any) string {
	switch x := x.(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []int:
		return strings.ReplaceAll(fmt.Sprint(x), " ", ",")
	case []string:
		return "[" + strings.Join(x, ",") + "]"
	}
	return fmt.Sprint(x)
}

func tuple(parts ...any) string {
	var texts []string
	for _, part := range parts {
		texts = append(texts, text(part))
	}
	return "{" + strings.Join(texts, ",") + "}"
}

func binary(bytes []byte) string {
	return "<<" + strings.ReplaceAll(strings.Trim(fmt.Sprint(bytes), "[]"), " ", ",") + ">>"
}

// erlang:phash2 of small integers, lists and tuples (../cpp/phash2.h says more).
type phash2 uint32

func (h *phash2) mix(x, y, salt uint32) {
	a, b, c := salt*0x9e3779b9+x, salt*0x9e3779b9+y, uint32(*h)
	a = (a - b - c) ^ (c >> 13)
	b = (b - c - a) ^ (a << 8)
	c = (c - a - b) ^ (b >> 13)
	a = (a - b - c) ^ (c >> 12)
	b = (b - c - a) ^ (a << 16)
	c = (c - a - b) ^ (b >> 5)
	a = (a - b - c) ^ (c >> 3)
	b = (b - c - a) ^ (a << 10)
	c = (c - a - b) ^ (b >> 15)
	*h = phash2(c)
}

func (h *phash2) tuple(size int) { h.mix(uint32(size), 0, 9) }

func (h *phash2) empty() {
	if *h == 0 {
		*h = 3468870702
	} else {
		h.mix(2, 0, 2)
	}
}

func (h *phash2) number(v int) {
	switch {
	case v >= 1<<27:
		h.mix(uint32(v), uint32(v>>32), 11)
	case v < -1<<27:
		h.mix(uint32(-v), uint32(-v>>32), 10)
	default:
		if v < 0 {
			h.mix(uint32(-v), 0, 1)
		}
		h.mix(uint32(v), 0, 1)
	}
}

func (h *phash2) list(all []int) {
	bytes, count := uint32(0), 0
	flush := func() {
		if count > 0 {
			h.mix(bytes, 0, 4)
		}
		bytes, count = 0, 0
	}
	for _, v := range all {
		if v < 0 || v > 255 {
			flush()
			h.number(v)
			continue
		}
		bytes = bytes<<8 | uint32(v)
		if count++; count == 4 {
			flush()
		}
	}
	flush()
	h.empty()
}

func (h *phash2) value() int { return int(*h & 0x7ffffff) }
