// Structures read and updated in a small bank.
package main

type account struct {
	id, balance, limit int
	open               bool
}

func run() string {
	accounts := make([]account, 64)
	for i := range accounts {
		accounts[i] = account{i + 1, 500, 1000, true}
	}
	moved, failed, x := 0, 0, 1
	for i := 0; i < 400000; i++ {
		next, amount := nextRandom(x), x&127
		from := &accounts[x>>8&63]
		if from.open && from.balance+from.limit >= amount {
			from.balance -= amount
			accounts[next>>8&63].balance += amount
			moved++
		} else {
			failed++
		}
		x = next
	}
	sum := 0
	for _, a := range accounts {
		sum += a.balance
	}
	return tuple(moved, failed, sum)
}

func main() { bench(run) }
