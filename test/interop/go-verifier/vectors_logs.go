package main

import (
	"bytes"
	"fmt"
)

// logs holds whole logs of the Terminal, and refuses each lie about them.
func (v *vectors) logs() {
	for _, r := range v.rows("terminal/logs") {
		raws := [][]byte{}
		for _, each := range r["entries"].([]any) {
			raws = append(raws, []byte(text(each)))
		}
		blobs := map[string][]byte{}
		for _, each := range r["blobs"].([]any) {
			blob := unhex(text(each))
			blobs[hexHash(blob)] = blob
		}
		v.taken(text(r["name"]), func() { takeAll(raws, blobs) })
		unchanged := told(raws, row{"seq": int64(-1)})
		v.is(text(r["name"])+", chained again", bytes.Equal(bytes.Join(unchanged, nil), bytes.Join(raws, nil)), true)
		for _, each := range r["lies"].([]any) {
			lie := each.(row)
			v.refused(text(lie["name"]), nil, func() { takeAll(told(raws, lie), blobs) })
		}
	}
}

func takeAll(raws [][]byte, blobs map[string][]byte) {
	r := newRecord(func(hash string) []byte {
		blob, is := blobs[hash]
		if !is {
			refuse("blob", "not there: %s", hash)
		}
		return blob
	})
	var last *entry
	for _, raw := range raws {
		e := parseEntry(raw)
		chain(last, e)
		r.take(e)
		last = &e
	}
	r.end()
}

// told is a log with the change of a lie, chained again behind it.
func told(raws [][]byte, lie row) [][]byte {
	out := [][]byte{}
	prev := fmt.Sprintf("%064d", 0)
	for seq, raw := range raws {
		e := parseCanonical(raw).(row)
		e["prev"] = prev
		if int64(seq) == lie["seq"].(int64) {
			e["body"] = merged(e["body"], lie["change"])
		}
		made := canonical(e)
		prev = parseEntry(made).leafHex()
		out = append(out, made)
	}
	return out
}
