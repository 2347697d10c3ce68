// Base64 there and back, by hand.
package main

import (
	"bytes"
	"crypto/md5"
)

func digit(n byte) byte {
	switch {
	case n < 26:
		return 'A' + n
	case n < 52:
		return 'a' + n - 26
	case n < 62:
		return '0' + n - 52
	case n == 62:
		return '+'
	}
	return '/'
}

func value(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A'
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26
	case c >= '0' && c <= '9':
		return c - '0' + 52
	case c == '+':
		return 62
	}
	return 63
}

func encode(b []byte) []byte {
	var text []byte
	for ; len(b) >= 3; b = b[3:] {
		text = append(text, digit(b[0]>>2), digit(b[0]<<4&63|b[1]>>4), digit(b[1]<<2&63|b[2]>>6), digit(b[2]&63))
	}
	switch len(b) {
	case 2:
		text = append(text, digit(b[0]>>2), digit(b[0]<<4&63|b[1]>>4), digit(b[1]<<2&63), '=')
	case 1:
		text = append(text, digit(b[0]>>2), digit(b[0]<<4&63), '=', '=')
	}
	return text
}

func decode(text []byte) []byte {
	var b []byte
	for ; len(text) > 0; text = text[4:] {
		b = append(b, value(text[0])<<2|value(text[1])>>4)
		if text[2] != '=' {
			b = append(b, value(text[1])<<4|value(text[2])>>2)
		}
		if text[3] != '=' {
			b = append(b, value(text[2])<<6|value(text[3]))
		}
	}
	return b
}

func run() string {
	var data []byte
	for n := 1; n <= 30000; n++ {
		data = append(data, byte(n*7))
	}
	for i := 0; i < 24; i++ {
		if !bytes.Equal(data, decode(encode(data))) {
			return "wrong"
		}
	}
	sum := md5.Sum(encode(data))
	return binary(sum[:])
}

func main() { bench(run) }
