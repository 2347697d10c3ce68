// SHA-256 written out; its constants are computed.
package main

import (
	bin "encoding/binary"
	"math/big"
	"math/bits"
)

func cubeRootFraction(p int64) uint32 {
	low, high, shifted := int64(0), int64(1)<<36, new(big.Int).Lsh(big.NewInt(p), 96)
	for high-low > 1 {
		middle := (low + high) / 2
		m := big.NewInt(middle)
		if m.Mul(m, new(big.Int).Mul(m, m)).Cmp(shifted) <= 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return uint32(low)
}

func constants() []uint32 {
	var all []uint32
	for n := int64(2); len(all) < 64; n++ {
		prime := true
		for d := int64(2); d*d <= n; d++ {
			prime = prime && n%d != 0
		}
		if prime {
			all = append(all, cubeRootFraction(n))
		}
	}
	return all
}

func rotr(x uint32, n int) uint32 { return bits.RotateLeft32(x, -n) }

func run() string {
	var data []byte
	for n := 1; n <= 200000; n++ {
		data = append(data, byte(n))
	}
	size := uint64(len(data)) * 8
	data = append(data, 0x80)
	for len(data)%64 != 56 {
		data = append(data, 0)
	}
	data = bin.BigEndian.AppendUint64(data, size)

	ks := constants()
	state := [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	for ; len(data) > 0; data = data[64:] {
		var w [64]uint32
		for i := 0; i < 16; i++ {
			w[i] = bin.BigEndian.Uint32(data[i*4:])
		}
		for i := 16; i < 64; i++ {
			s0 := rotr(w[i-15], 7) ^ rotr(w[i-15], 18) ^ w[i-15]>>3
			s1 := rotr(w[i-2], 17) ^ rotr(w[i-2], 19) ^ w[i-2]>>10
			w[i] = w[i-16] + s0 + w[i-7] + s1
		}
		a, b, c, d, e, f, g, h := state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
		for i, k := range ks {
			t1 := h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (e&f ^ ^e&g) + k + w[i]
			t2 := (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + (a&b ^ a&c ^ b&c)
			a, b, c, d, e, f, g, h = t1+t2, a, b, c, d+t1, e, f, g
		}
		for i, x := range [8]uint32{a, b, c, d, e, f, g, h} {
			state[i] += x
		}
	}
	var digest []byte
	for _, x := range state {
		digest = bin.BigEndian.AppendUint32(digest, x)
	}
	return binary(digest)
}

func main() { bench(run) }
