package main

import (
	"bytes"
	"encoding/hex"
	"sort"
)

// The list of events in the daily index entry (docs/spec/index.md#lists). The other lists are not made again here.

type index struct{ leaves [][]byte }

func (x *index) take(e entry) {
	switch e.kind {
	case "event/1":
		said := parseEvent(e.body)
		leaf := append(be64(said.OpenedAt), unhex(plainUUID(said.ID))...)
		x.leaves = append(x.leaves, append(leaf, sha(canonical(e.body.v))...))
	case "index/1":
		m := e.body.object("day", "size", "prints", "keys", "rules", "events")
		m["size"].integer(e.seq, e.seq)
		expected := map[string]any{"count": len(x.leaves), "root": hex.EncodeToString(x.root())}
		if !same(m["events"].v, expected) {
			refuse(m["events"].at, "another list than %s", canonical(expected))
		}
	}
}

func (x *index) root() []byte {
	sorted := append([][]byte{}, x.leaves...)
	sort.SliceStable(sorted, func(i, j int) bool { return bytes.Compare(sorted[i], sorted[j]) < 0 })
	hashes := [][]byte{}
	for _, leaf := range sorted {
		hashes = append(hashes, leafHash(append([]byte("assay/index/event/v1\x00"), leaf...)))
	}
	return rootOf(hashes)
}
