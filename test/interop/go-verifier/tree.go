package main

import "math/bits"

// The tree of RFC 6962 (docs/spec/tree.md).

func leafHash(data []byte) []byte { return sha(append([]byte{0}, data...)) }

func nodeHash(left, right []byte) []byte {
	return sha(append(append([]byte{1}, left...), right...))
}

func rootOf(leaves [][]byte) []byte {
	switch n := len(leaves); n {
	case 0:
		return sha(nil)
	case 1:
		return leaves[0]
	default:
		k := 1 << (bits.Len(uint(n-1)) - 1)
		return nodeHash(rootOf(leaves[:k]), rootOf(leaves[k:]))
	}
}

// frontier is a tree that grows, and remembers the root of each of its sizes.
type frontier struct {
	peaks [][]byte // nil where there is none, the lowest first
	roots [][]byte // by size
}

func newFrontier() *frontier { return &frontier{roots: [][]byte{sha(nil)}} }

func (f *frontier) add(leaf []byte) {
	carry := leaf
	level := 0
	for ; level < len(f.peaks) && f.peaks[level] != nil; level++ {
		carry = nodeHash(f.peaks[level], carry)
		f.peaks[level] = nil
	}
	if level == len(f.peaks) {
		f.peaks = append(f.peaks, nil)
	}
	f.peaks[level] = carry
	var root []byte
	for _, peak := range f.peaks {
		if peak != nil && root == nil {
			root = peak
		} else if peak != nil {
			root = nodeHash(peak, root)
		}
	}
	f.roots = append(f.roots, root)
}
