package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// Ticks and their leaves (docs/spec/tick.md).

const (
	leafBytes = 72
	year9999  = 253370764800
)

var leafTag = []byte("assay/tick/v1\x00")

type leaf struct {
	symbol     string
	ts         int64
	score      int64 // -1 for none
	good       bool
	commitment []byte
}

func parseLeaf(b []byte) (leaf, bool) {
	symbol := string(bytes.TrimRight(b[14:30], "\x00"))
	ts := binary.LittleEndian.Uint64(b[30:38])
	score := int64(b[38])
	if b[38] == 255 {
		score = -1
	}
	ok := bytes.HasPrefix(b, leafTag) && symbolForm.MatchString(symbol) && ts <= maxInteger && score <= 100 &&
		b[39] <= 1 && (score < 0 || b[39] == 1)
	return leaf{symbol, int64(ts), score, b[39] == 1, b[40:]}, ok
}

// parseLeaves reads a blob: leaves of one time, rising by asset.
func parseLeaves(blob []byte) []leaf {
	if len(blob) == 0 || len(blob)%leafBytes != 0 {
		refuse("", "no leaves of 72 bytes")
	}
	out := []leaf{}
	for at := 0; at < len(blob); at += leafBytes {
		each, ok := parseLeaf(blob[at : at+leafBytes])
		if n := len(out); n > 0 && (out[n-1].symbol >= each.symbol || out[n-1].ts != each.ts) {
			ok = false
		}
		if !ok {
			refuse(fmt.Sprintf("byte %d", at), "no leaf, or not in its place")
		}
		out = append(out, each)
	}
	return out
}

func leavesRoot(blob []byte) string {
	hashes := [][]byte{}
	for at := 0; at < len(blob); at += leafBytes {
		hashes = append(hashes, leafHash(blob[at:at+leafBytes]))
	}
	return hex.EncodeToString(rootOf(hashes))
}

type tick struct {
	class      string
	ts, count  int64
	rule       string
	size       int64
	root, blob string
}

func (n node) terminalTime() int64 {
	ts := n.time()
	if ts < 0 || ts >= year9999 {
		refuse(n.at, "before 1970, or of the last year")
	}
	return ts
}

func parseTick(body node) tick {
	m := body.object("class", "ts", "rule", "size", "root", "blob")
	t := tick{class: m["class"].oneOf("crypto", "stock"), ts: m["ts"].terminalTime(), rule: m["rule"].hash(),
		size: m["size"].integer(1, 10000), root: m["root"].hash(), blob: m["blob"].hash()}
	on := false
	if t.count, on = gridCount(t.class, t.ts); !on {
		refuse(m["ts"].at, "not on the grid")
	}
	return t
}

// leaves reads those of a tick, and holds them to it.
func (t tick) leaves(blob []byte) []leaf {
	if hexHash(blob) != t.blob || leavesRoot(blob) != t.root {
		refuse("body.root", "leaves of another root, or other bytes")
	}
	out := parseLeaves(blob)
	if int64(len(out)) != t.size || out[0].ts != t.ts {
		refuse("body.size", "another number of leaves, or of another time")
	}
	return out
}

type asset struct {
	symbol, class string
	decimals      int64
	listed        bool
	display       bool
}

func parseAsset(body node) asset {
	m := body.object("symbol", "name", "class", "decimals", "listed", "display")
	m["name"].text(1, 64)
	return asset{m["symbol"].match(symbolForm), m["class"].oneOf("crypto", "stock"), m["decimals"].integer(0, 18),
		m["listed"].boolean(), m["display"].boolean()}
}

type splitBody struct {
	symbol                 string
	at                     int64
	numerator, denominator int64
}

func parseSplit(body node) splitBody {
	m := body.object("symbol", "effective_at", "numerator", "denominator")
	return splitBody{m["symbol"].match(symbolForm), m["effective_at"].terminalTime(),
		m["numerator"].integer(1, 1000), m["denominator"].integer(1, 1000)}
}

const none = math.MinInt64
