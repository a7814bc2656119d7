package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
)

// The Ed25519 profile (docs/spec/ed25519.md). The standard library holds rules 1 and 6 to 8; this adds 2 to 5.

var smallPoints = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

func verifies(key, message, signature []byte) bool {
	if len(key) != 32 || len(signature) != 64 {
		return false
	}
	if !goodPoint(key) || !goodPoint(signature[:32]) {
		return false
	}
	return ed25519.Verify(key, message, signature)
}

// goodPoint says whether y is below p and is that of no small point.
func goodPoint(point []byte) bool {
	y := append([]byte{}, point...)
	y[31] &= 0x7f
	for _, small := range smallPoints {
		if hex.EncodeToString(y) == small {
			return false
		}
	}
	if y[31] != 0x7f || !bytes.Equal(y[1:31], bytes.Repeat([]byte{0xff}, 30)) {
		return true
	}
	return y[0] < 0xed
}
