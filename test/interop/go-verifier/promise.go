package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// The receipt for an answer or a forecast (docs/spec/referee.md#receipt).

type promise struct {
	log, leaf, nonce, key, signature []byte
	subject                          string
	ordinal                          int64
}

func parsePromise(n node) promise {
	m := n.object("type", "log", "subject", "ordinal", "leaf", "nonce", "key", "signature", "held")
	m["type"].oneOf("assay-receipt/1")
	m["held"].oneOf("one_disk", "second_machine")
	return promise{log: m["log"].hex(32), subject: m["subject"].text(1, 64), ordinal: m["ordinal"].integer(0, maxInteger),
		leaf: m["leaf"].hex(32), nonce: m["nonce"].hex(32), key: m["key"].hex(32), signature: m["signature"].hex(64)}
}

// signed says whether the key of the receipt has signed it.
func (p promise) signed() bool {
	message := []byte("assay/receipt/v1\x00")
	for _, each := range [][]byte{p.log, sha([]byte(p.subject)), le64(p.ordinal), p.leaf, p.nonce} {
		message = append(message, each...)
	}
	return verifies(p.key, message, p.signature)
}

// kept says whether a log has the forecast of a receipt at its place.
func (r *record) kept(p promise) bool {
	round := r.arena.rounds[p.subject]
	return r.id() == hex.EncodeToString(p.log) && round != nil && p.ordinal < int64(len(round.forecasts)) &&
		hex.EncodeToString(round.forecasts[p.ordinal].leaf) == hex.EncodeToString(p.leaf)
}

// promises are the receipts of the vectors, each of which its key has signed, and no other one.
func (v *vectors) promises() {
	for _, r := range v.rows("evidence/files") {
		var file row
		if err := json.Unmarshal([]byte(text(r["file"])), &file); err != nil || file["batch"] == nil {
			continue
		}
		given := plainNumbers(file["receipt"].(row))
		p := parsePromise(node{"receipt", given})
		v.is(fmt.Sprint("receipt: ", r["name"]), p.signed(), true)
		p.ordinal++
		v.is(fmt.Sprint("receipt of another place: ", r["name"]), p.signed(), false)
	}
}

// plainNumbers makes the numbers of an object integers.
func plainNumbers(of row) row {
	for name, each := range of {
		if n, is := each.(float64); is {
			of[name] = int64(n)
		}
	}
	return of
}
