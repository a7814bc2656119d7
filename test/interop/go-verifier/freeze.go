package main

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"sort"
)

// The freeze of a round (docs/spec/arena.md#freeze).

type seat struct {
	handle string
	weight int64
}

type freeze struct {
	seq int64
	top []seat
}

func (a *arena) takeFreeze(e entry) {
	m := e.body.object("round", "count", "root", "handles", "openings", "top")
	r := a.rounds[m["round"].text(1, 64)]
	if r == nil || r.freeze != nil {
		refuse("body.round", "no round that is open")
	}
	if e.at < r.closes {
		refuse("entry.at", "before the close")
	}
	r.count(min(r.closes, a.closeOf(r, r.rule.arena.indices[r.ticker])))
	leaves, of := [][]byte{}, map[string]bool{}
	plain := false
	for _, f := range r.forecasts {
		leaves = append(leaves, f.leaf)
		of[f.handle] = true
		plain = plain || f.commitment != nil
	}
	top := a.top(r)
	seats := []any{}
	for _, each := range top {
		seats = append(seats, map[string]any{"handle": each.handle, "weight": each.weight})
	}
	var openings any
	if plain {
		openings = m["openings"].hash()
		a.open(r, a.record.blobs(openings.(string)))
	}
	expected := map[string]any{"round": r.id, "count": len(leaves), "root": hex.EncodeToString(rootOf(leaves)),
		"handles": len(of), "openings": openings, "top": seats}
	if !same(e.body.v, expected) {
		refuse("body", "another freeze than %s", canonical(expected))
	}
	r.freeze = &freeze{e.seq, top}
}

// count keeps the newest forecast in time of each handle, by ordinal.
func (r *round) count(closes int64) {
	newest := map[string]*forecast{}
	for _, f := range r.forecasts {
		if f.at < closes {
			newest[f.handle] = f
		}
	}
	r.counted = nil
	for _, f := range r.forecasts {
		if newest[f.handle] == f {
			r.counted = append(r.counted, f)
		}
	}
}

const mostValue = 1_000_000_000_000_000

func opens(value *big.Int) bool { return value.CmpAbs(big64(mostValue)) <= 0 }

// open takes the values of the forecasts that are not sealed from the blob.
func (a *arena) open(r *round, blob []byte) {
	m := node{"openings", parseCanonical(blob)}.object("openings", "round", "type")
	m["type"].oneOf("assay-openings/1")
	m["round"].oneOf(r.id)
	list := m["openings"].list(0, len(r.forecasts))
	for _, f := range r.forecasts {
		if f.commitment == nil {
			continue
		}
		if len(list) == 0 {
			refuse("openings.openings", "without that of %d", f.ordinal)
		}
		o := list[0].object("ordinal", "salt", "value")
		list = list[1:]
		o["ordinal"].integer(f.ordinal, f.ordinal)
		value := o["value"].scaled()
		said := committed(a.record.log, r.idHash(), unhex(f.handle), o["salt"].hex(32), value)
		if !bytes.Equal(said, f.commitment) || !opens(value) {
			refuse(o["salt"].at, "does not open the commitment, or to no value")
		}
		f.value = value
	}
	if len(list) > 0 {
		refuse("openings.openings", "more than there are")
	}
}

// top is who makes the arena number, by the grades in the log so far.
func (a *arena) top(r *round) []seat {
	rule := r.rule.arena
	s := a.standings(rule.shrink)
	ranked := []*standing{}
	for _, f := range r.counted {
		if each := s[f.handle]; each != nil && each.graded >= rule.rankedFrom && each.sum > 0 {
			ranked = append(ranked, each)
		}
	}
	sort.Slice(ranked, func(i, j int) bool { return before(ranked[i], ranked[j], rule.shrink) })
	out := []seat{}
	for _, each := range ranked[:min(len(ranked), int(rule.top))] {
		out = append(out, seat{each.handle, each.mean()})
	}
	return out
}
