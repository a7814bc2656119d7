package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
)

// finding is what is wrong with a log, and at which entry; -1 where it is no entry.
type finding struct {
	Seq int64  `json:"seq"`
	Why string `json:"why"`
}

// record is what follows from the entries of a log so far.
type record struct {
	blobs    func(hash string) []byte
	log      []byte // leaf hash of entry 0
	origin   string
	tree     *frontier
	terminal *terminal
	referee  *referee
	arena    *arena
	index    *index
}

func newRecord(blobs func(hash string) []byte) *record {
	r := &record{blobs: blobs, tree: newFrontier()}
	r.terminal = newTerminal(blobs)
	r.referee = newReferee(r.terminal)
	r.arena = newArena(r)
	r.index = &index{}
	return r
}

// checkLog reads a log and holds everything in it to the pages; the first finding ends it.
func checkLog(from source) (*record, checkpoint, *finding) {
	r := newRecord(from.blob)
	var head checkpoint
	seq := int64(-1)
	refused := attempt(func() {
		signed := parseNote(from.read("checkpoint"))
		head = parseCheckpoint(signed.text)
		raws := from.entries(head.size)
		if len(raws) == 0 {
			refuse("checkpoint", "an empty log")
		}
		var last *entry
		var first genesis
		for i, raw := range raws {
			seq = int64(i)
			e := parseEntry(raw)
			if i == 0 {
				first = parseGenesis(e.body)
			}
			chain(last, e)
			if !knownKind(e.kind) {
				refuse("entry.kind", "not understood: %s", e.kind)
			}
			r.take(e)
			last = &e
		}
		seq = -1
		r.end()
		if head.origin != first.origin || !signed.signedByLog(first.logKey) {
			refuse("checkpoint", "of another origin, or without a good line of the log's key")
		}
		if !bytes.Equal(r.tree.roots[head.size], head.root) {
			refuse("checkpoint", "another root than that of the entries")
		}
	})
	if refused != nil {
		return r, head, &finding{seq, refused.Error()}
	}
	return r, head, nil
}

func chain(last *entry, e entry) {
	if (e.kind == "genesis/1") != (last == nil) {
		refuse("entry.kind", "entry 0 and no other is genesis")
	}
	prev, seq := fmt.Sprintf("%064d", 0), int64(0)
	if last != nil {
		prev, seq = last.leafHex(), last.seq+1
		if e.at < last.at {
			refuse("entry.at", "before that of the entry before")
		}
	}
	if e.prev != prev || e.seq != seq {
		refuse("entry", "not chained to the entry before")
	}
}

// take holds an entry to the ones before it.
func (r *record) take(e entry) {
	if e.kind == "genesis/1" {
		r.log = e.leaf
		r.origin = parseGenesis(e.body).origin
	}
	r.terminal.take(e)
	r.referee.take(e)
	r.arena.take(e)
	r.index.take(e)
	r.tree.add(e.leaf)
}

// end is called behind the last entry. A log may end before all that its newest tick makes due.
func (r *record) end() {
	r.arena.end()
}

func (r *record) id() string { return hex.EncodeToString(r.log) }
