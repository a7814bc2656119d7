package main

import (
	"bytes"
	"math/big"
)

// What opens a round, or why it stays shut (docs/spec/arena.md#unseal).

type unseal struct {
	at        int64
	signature []byte
	note      *note
	head      checkpoint
	void      string
}

func (a *arena) takeUnseal(e entry) {
	m := e.body.object("round", "signature", "note", "void_reason")
	r := a.rounds[m["round"].text(1, 64)]
	if r == nil || r.freeze == nil || r.unseal != nil {
		refuse("body.round", "no round that is frozen and shut")
	}
	u := &unseal{at: e.at}
	r.unseal = u
	if !m["void_reason"].null() {
		u.void = m["void_reason"].oneOf("unwitnessed", "no_beacon", "too_late")
		if !m["signature"].null() || !m["note"].null() {
			refuse("body", "a reason beside what opens the round")
		}
		a.voided(r, e.at)
		return
	}
	u.signature = m["signature"].hex(48)
	read := parseNote([]byte(m["note"].text(1, 65536)))
	u.note, u.head = &read, parseCheckpoint(read.text)
	chain := r.rule.arena.chain
	if !chain.signedRound(r.drandRound, u.signature) {
		refuse("body.signature", "does not verify for the round of the beacon")
	}
	if u.head.origin != a.record.origin || u.head.size > e.seq || !bytes.Equal(a.record.tree.roots[u.head.size], u.head.root) {
		refuse("body.note", "no checkpoint of this log")
	}
	if !a.witnessed(r, u) {
		refuse("body.note", "does not cover the freeze, or has too few lines in time")
	}
	if e.at < chain.timeOf(r.drandRound) || e.at >= a.earliest(r) {
		refuse("entry.at", "before the beacon's round is out, or not before the number may be")
	}
	a.openAll(r)
}

// witnessed says whether a note covers the freeze of a round with enough lines in time for it.
func (a *arena) witnessed(r *round, u *unseal) bool {
	lines := int64(0)
	for _, key := range r.rule.arena.witnesses {
		if u.note.witnessedBefore(key, r.rule.arena.chain.timeOf(r.drandRound)) {
			lines++
		}
	}
	return u.head.size > r.freeze.seq && lines >= r.rule.arena.required
}

// voided holds a reason to its times.
func (a *arena) voided(r *round, at int64) {
	out, known := r.rule.arena.chain.timeOf(r.drandRound), a.earliest(r)
	if r.unseal.void == "unwitnessed" && (at < out || at >= known) {
		refuse("entry.at", "unwitnessed outside of its time")
	}
	if r.unseal.void != "unwitnessed" && at < known {
		refuse("entry.at", "%s before the number may be known", r.unseal.void)
	}
}

// end looks for reasons that another entry refutes.
func (a *arena) end() {
	for _, r := range a.order {
		if r.unseal == nil || r.unseal.void == "" {
			continue
		}
		for _, other := range a.order {
			if u := other.unseal; u != nil && u.void == "" && a.refutes(r, other) {
				refuse("", "the %s of %s is refuted by what opened %s", r.unseal.void, r.id, other.id)
			}
		}
	}
}

func (a *arena) refutes(r, other *round) bool {
	if r.unseal.void == "unwitnessed" {
		return a.witnessed(r, other.unseal)
	}
	mine, theirs := r.rule.arena.chain, other.rule.arena.chain
	sameRound := bytes.Equal(mine.key, theirs.key) && r.drandRound == other.drandRound
	return sameRound && other.unseal.at < a.earliest(r)
}

// openAll opens the sealed forecasts that count.
func (a *arena) openAll(r *round) {
	for _, f := range r.counted {
		if f.sealed == nil {
			continue
		}
		message := openSealed(r.unseal.signature, f.sealed)
		if message == nil {
			continue
		}
		value := big64(int64(new(big.Int).SetBytes(message[:8]).Uint64()))
		if opens(value) && bytes.Equal(message, sealedTo(a.record.log, r.idHash(), unhex(f.handle), value)) {
			f.value = value
		}
	}
}
