// An interpreter for a small stack machine: a switch over instructions in a slice.
package main

const (
	push = iota
	load
	store
	jump
	jumpIfZero
	add
	sub
	rem
	halt
)
const n, sum = 0, 1

type instruction struct{ op, operand int }

func run() string {
	code := []instruction{
		{load, n}, {jumpIfZero, 14}, {load, sum}, {load, n}, {push, 3}, {rem, 0}, {add, 0}, {store, sum}, {load, n},
		{push, 1}, {sub, 0}, {store, n}, {jump, 0}, {halt, 0}, {load, sum}, {halt, 0}}
	variables, stack := []int{150000, 0}, []int{}
	pop := func() int {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return top
	}
	for pc := 0; ; {
		i := code[pc]
		pc++
		switch i.op {
		case push:
			stack = append(stack, i.operand)
		case load:
			stack = append(stack, variables[i.operand])
		case store:
			variables[i.operand] = pop()
		case jump:
			pc = i.operand
		case jumpIfZero:
			if pop() == 0 {
				pc = i.operand
			}
		case add:
			b := pop()
			stack[len(stack)-1] += b
		case sub:
			b := pop()
			stack[len(stack)-1] -= b
		case rem:
			b := pop()
			stack[len(stack)-1] %= b
		case halt:
			return tuple(stack[len(stack)-1], len(variables))
		}
	}
}

func main() { bench(run) }
