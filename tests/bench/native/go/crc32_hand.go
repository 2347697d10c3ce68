// CRC-32 with a table.
package main

func run() string {
	table := make([]uint32, 256)
	for n := range table {
		c := uint32(n)
		for k := 0; k < 8; k++ {
			if c&1 == 1 {
				c = 0xedb88320 ^ c>>1
			} else {
				c >>= 1
			}
		}
		table[n] = c
	}
	var data []byte
	for n := 1; n <= 600000; n++ {
		data = append(data, byte(n*31))
	}
	var sum uint32
	for i := 0; i < 3; i++ {
		c := uint32(0xffffffff)
		for _, b := range data {
			c = table[byte(c)^b] ^ c>>8
		}
		sum = c ^ 0xffffffff
	}
	return text(sum)
}

func main() { bench(run) }
