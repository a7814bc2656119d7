package main

import (
	"encoding/hex"
	"math/big"
	"regexp"
	"strings"
)

// Forecasts and the handles that make them (docs/spec/arena.md#forecast).

type handle struct {
	key       []byte
	counter   int64
	forecasts int64
}

type forecast struct {
	ordinal            int64
	handle             string
	sealed, commitment []byte
	at                 int64
	leaf               []byte
	value              *big.Int // null where it does not open
}

func handleID(sort byte, parts ...[]byte) string {
	return hex.EncodeToString(tagged("assay/handle/v1", append([][]byte{{sort}}, parts...)...)[:16])
}

func (r *round) idHash() []byte { return sha([]byte(r.id)) }

func valueBytes(v *big.Int) []byte { return be64(v.Int64()) }

// sealedTo is the message that a forecast of a value seals.
func sealedTo(log, idHash, handle []byte, value *big.Int) []byte {
	return append(valueBytes(value), tagged("assay/sealed-forecast/v1", log, idHash, handle)[:24]...)
}

func committed(log, idHash, handle, salt []byte, value *big.Int) []byte {
	return tagged("assay/plain-forecast/v1", salt, log, idHash, handle, le64(value.Int64()))
}

type forecastBody struct {
	round                      string
	ordinal, counter           int64 // counter 0 for null
	handle, key                []byte
	sealed, commitment         []byte
	nonce, signature, leafData []byte
}

func parseForecast(body node) forecastBody {
	m := body.object("round", "ordinal", "handle", "key", "counter", "sealed", "commitment", "nonce", "signature")
	f := forecastBody{round: m["round"].text(1, 64), ordinal: m["ordinal"].integer(0, maxInteger),
		handle: m["handle"].hex(16), key: m["key"].orHex(32), sealed: m["sealed"].orHex(160),
		commitment: m["commitment"].orHex(32), nonce: m["nonce"].hex(32), signature: m["signature"].orHex(64)}
	if !m["counter"].null() {
		f.counter = m["counter"].integer(1, maxInteger)
	}
	if (f.sealed == nil) == (f.commitment == nil) {
		refuse(body.at, "not exactly one of sealed and commitment")
	}
	if (f.counter == 0) != (f.signature == nil) || (f.counter == 0 && f.key != nil) {
		refuse(body.at, "key, counter and signature that do not go together")
	}
	f.leafData = tagged("assay/forecast/v1", canonical(body.v))
	return f
}

func (n node) orHex(length int) []byte {
	if n.null() {
		return nil
	}
	return n.hex(length)
}

func (f forecastBody) signedMessage(log []byte) []byte {
	said := sha(f.commitment)
	if f.sealed != nil {
		said = sha(f.sealed)
	}
	out := append([]byte("assay/forecast-signature/v1\x00"), log...)
	out = append(append(out, sha([]byte(f.round))...), f.handle...)
	return append(append(append(out, le64(f.counter)...), f.nonce...), said...)
}

func (a *arena) takeForecast(e entry) {
	f := parseForecast(e.body)
	r := a.rounds[f.round]
	if r == nil || r.freeze != nil || e.at >= r.closes {
		refuse("body.round", "no round that takes forecasts")
	}
	if f.ordinal != int64(len(r.forecasts)) {
		refuse("body.ordinal", "not the next one")
	}
	id := hex.EncodeToString(f.handle)
	for _, house := range r.house {
		if house.handle == id {
			refuse("body.handle", "a forecast of the house")
		}
	}
	h := a.handles[id]
	if h == nil {
		h = &handle{}
		a.handles[id] = h
	}
	h.forecast(f, a.record.log, id)
	r.forecasts = append(r.forecasts, &forecast{ordinal: f.ordinal, handle: id, sealed: f.sealed,
		commitment: f.commitment, at: e.at, leaf: f.leafData})
}

// forecast holds one forecast to those of its handle before it.
func (h *handle) forecast(f forecastBody, log []byte, id string) {
	if f.key != nil {
		if h.forecasts > 0 || handleID(1, f.key) != id {
			refuse("body.key", "not in the first forecast, or not the key of the handle")
		}
		h.key = f.key
	}
	if (h.key != nil) != (f.counter > 0) || f.counter < h.counter || (h.counter > 0 && f.counter == h.counter) {
		refuse("body.counter", "not above the one before, or not with a key")
	}
	if h.key != nil && !verifies(h.key, f.signedMessage(log), f.signature) {
		refuse("body.signature", "does not verify")
	}
	h.counter = f.counter
	h.forecasts++
}

var nameForm = regexp.MustCompile(`^[a-z0-9_-]{3,24}$`)

var reserved = strings.Fields("admin administrator anonymous arena assay crowd false house moderator nobody null " +
	"official operator referee root service support system true undefined")

// handleName is a name with its ASCII capitals lowered; empty where it is none.
func handleName(name string) string {
	lowered := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 32
		}
		return r
	}, name)
	if !nameForm.MatchString(lowered) || strings.HasPrefix(lowered, "house-") || strings.HasPrefix(lowered, "house_") {
		return ""
	}
	bare := strings.NewReplacer("_", "", "-", "").Replace(lowered)
	for _, name := range reserved {
		if bare == name {
			return ""
		}
	}
	return lowered
}
