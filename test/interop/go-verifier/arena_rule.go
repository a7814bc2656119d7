package main

import (
	"encoding/hex"
	"regexp"
)

// The arena rule (docs/spec/arena-rule.md) and its drand chain (docs/spec/timelock.md#chain).

const mostSeconds = 31622400

type arenaRule struct {
	hash    string
	version int64
	referee *refereeRule
	arena   *arenaPart
}

type arenaPart struct {
	chain                                           drandChain
	sealMargin                                      int64
	witnesses                                       []noteKey
	required                                        int64
	zeroAt, rankedFrom, top, shrink, streak, median int64
	indices                                         map[string]arenaIndex
}

type arenaIndex struct {
	known               string
	window, closeBefore int64
}

func parseArenaRule(n node) arenaRule {
	m := n.object("type", "version", "referee", "arena")
	m["type"].oneOf("assay-arena-rule/1")
	out := arenaRule{hash: hexHash(canonical(n.v)), version: m["version"].integer(1, million)}
	if !m["referee"].null() {
		out.referee = parseRefereePart(m["referee"], out.hash)
	}
	if !m["arena"].null() {
		out.arena = parseArenaPart(m["arena"])
	}
	return out
}

func parseRefereePart(n node, hash string) *refereeRule {
	m := n.object("class", "threshold", "horizon_s", "window_s", "tolerance_s", "least_group")
	r := &refereeRule{class: m["class"].oneOf("crypto"), hash: hash}
	r.threshold = m["threshold"].integer(0, 100)
	r.horizon = m["horizon_s"].integer(1, mostSeconds)
	r.window = m["window_s"].integer(1, mostSeconds)
	if r.window >= r.horizon {
		refuse(m["window_s"].at, "not fewer than the horizon")
	}
	r.tolerance = m["tolerance_s"].integer(1, mostSeconds)
	r.leastGroup = m["least_group"].integer(1, million)
	return r
}

func parseArenaPart(n node) *arenaPart {
	m := n.object("drand", "seal_margin_s", "witnesses", "zero_points_at", "ranked_from", "top", "shrink",
		"streak_points", "median_window", "indices")
	p := &arenaPart{chain: parseChain(m["drand"]), sealMargin: m["seal_margin_s"].integer(1, mostSeconds)}
	w := m["witnesses"].object("keys", "required")
	last := ""
	for _, each := range w["keys"].list(1, 64) {
		text := each.text(1, 256)
		var key noteKey
		if refused := attempt(func() { key = parseNoteKey(text) }); refused != nil || key.kind != kindWitness {
			refuse(each.at, "no key of a witness")
		}
		if text <= last {
			refuse(w["keys"].at, "not ascending")
		}
		last = text
		p.witnesses = append(p.witnesses, key)
	}
	p.required = w["required"].integer(1, int64(len(p.witnesses)))
	p.zeroAt = m["zero_points_at"].integer(1, 1000)
	p.rankedFrom = m["ranked_from"].integer(1, 1000)
	p.top = m["top"].integer(1, 100)
	p.shrink = m["shrink"].integer(0, 1000)
	p.streak = m["streak_points"].integer(0, 100)
	p.median = m["median_window"].integer(1, 100)
	p.parseIndices(m["indices"])
	for _, each := range p.indices {
		if p.sealMargin >= each.closeBefore {
			refuse(m["seal_margin_s"].at, "not fewer than close_before_s")
		}
	}
	return p
}

func (p *arenaPart) parseIndices(n node) {
	p.indices = map[string]arenaIndex{}
	last := ""
	for _, each := range n.list(1, 256) {
		m := each.object("ticker", "known", "window_s", "close_before_s")
		ticker := m["ticker"].ticker()
		if ticker <= last {
			refuse(n.at, "not ascending")
		}
		last = ticker
		p.indices[ticker] = arenaIndex{m["known"].oneOf("release", "period_end"),
			m["window_s"].integer(1, mostSeconds), m["close_before_s"].integer(1, mostSeconds)}
	}
}

func (n node) ticker() string {
	ticker := n.match(tickerForm)
	if ticker == "CLOSE" {
		refuse(n.at, "no ticker")
	}
	return ticker
}

type drandChain struct {
	key             []byte
	period, genesis int64
}

var beaconForm = regexp.MustCompile(`^([a-z0-9]|[a-z0-9][a-z0-9_-]{0,62}[a-z0-9])$`)

func parseChain(n node) drandChain {
	m := n.object("hash", "scheme", "public_key", "period_s", "genesis_time", "group_hash", "beacon_id")
	hash := m["hash"].hash()
	m["scheme"].oneOf("bls-unchained-g1-rfc9380")
	c := drandChain{m["public_key"].hex(96), m["period_s"].integer(1, day), m["genesis_time"].integer(0, lastSecond)}
	group, id := m["group_hash"].hex(32), m["beacon_id"].match(beaconForm)
	if id == "default" {
		id = ""
	}
	message := append(be64(c.period)[4:], be64(c.genesis)...)
	message = append(append(append(message, c.key...), group...), id...)
	if hex.EncodeToString(sha(message)) != hash {
		refuse(m["hash"].at, "another hash than that of the chain")
	}
	return c
}

const lastSecond = 253402300799

// roundAt is the first round that is out at a time or after it.
func (c drandChain) roundAt(seconds int64) int64 {
	if seconds < 0 || seconds > lastSecond {
		refuse("", "no time")
	}
	round := int64(1)
	if seconds > c.genesis {
		round = (seconds-c.genesis+c.period-1)/c.period + 1
	}
	c.timeOf(round)
	return round
}

func (c drandChain) timeOf(round int64) int64 {
	if round < 1 || round > maxInteger || (lastSecond-c.genesis)/c.period < round-1 {
		refuse("", "no round")
	}
	return c.genesis + (round-1)*c.period
}
