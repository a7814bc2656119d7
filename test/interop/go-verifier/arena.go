package main

import (
	"math/big"
	"sort"
	"strings"
)

// The rounds of the Arena as a log has them (docs/spec/arena.md).

type print struct {
	period, decimals int64
	value            *big.Int // null of a void and of a withheld level
	withheld         bool
	hash             string
}

type arena struct {
	record   *record
	rules    map[string]*arenaRule
	rule     *arenaRule
	versions map[string][]version
	prints   map[string]map[int64]print // the final or the void that ended each period, by ticker
	rounds   map[string]*round
	order    []*round
	handles  map[string]*handle
	graded   []gradedPart // in the order of the log
}

func newArena(r *record) *arena {
	return &arena{record: r, rules: map[string]*arenaRule{}, versions: map[string][]version{},
		prints: map[string]map[int64]print{}, rounds: map[string]*round{}, handles: map[string]*handle{}}
}

func (a *arena) take(e entry) {
	switch e.kind {
	case "arena-rule/1":
		a.takeRule(e)
	case "rule/1":
		ticker, v := parseVersion(e)
		if v.counts(a.versions[ticker]) {
			a.versions[ticker] = append(a.versions[ticker], v)
		}
	case "report/1":
		a.takeReport(e)
	case "round/1":
		a.takeRound(e)
	case "forecast/1":
		a.takeForecast(e)
	case "freeze/1":
		a.takeFreeze(e)
	case "unseal/1":
		a.takeUnseal(e)
	case "grade/1":
		a.takeGrade(e)
	}
}

func (a *arena) takeRule(e entry) {
	rule := parseArenaRule(node{"rule", e.body.object("rule")["rule"].v})
	next := int64(1)
	if a.rule != nil {
		next = a.rule.version + 1
	}
	if rule.version != next {
		refuse("rule.version", "not the next version")
	}
	a.rule = &rule
	a.rules[rule.hash] = &rule
}

// takeReport keeps the report that ends a period. The report itself is held to nothing here.
func (a *arena) takeReport(e entry) {
	report := e.body.object("report", "signature")["report"]
	m, is := report.v.(map[string]any)
	if !is {
		refuse(report.at, "no object")
	}
	status := node{"report.status", m["status"]}.oneOf("provisional", "final", "corrected", "void")
	ticker := node{"report.ticker", m["ticker"]}.ticker()
	p := print{period: node{"report.period", m["period"]}.date(), decimals: node{"report.decimals", m["decimals"]}.integer(0, 18),
		withheld: node{"report.withheld", m["withheld"]}.boolean(), hash: hexHash(canonical(report.v))}
	if m["value"] != nil {
		p.value = node{"report.value", m["value"]}.scaled()
	}
	if status != "final" && status != "void" {
		return
	}
	if status == "void" {
		p.value = nil
	}
	if a.prints[ticker] == nil {
		a.prints[ticker] = map[int64]print{}
	}
	if _, ended := a.prints[ticker][p.period]; !ended {
		a.prints[ticker][p.period] = p
	}
}

// earlier gives the first final prints before a period with as many decimals, the newest first.
func (a *arena) earlier(ticker string, period, decimals int64) []print {
	out := []print{}
	for _, p := range a.prints[ticker] {
		if p.period < period && p.value != nil && p.decimals == decimals {
			out = append(out, p)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].period > out[j].period })
	return out
}

type round struct {
	id, ticker       string
	period, decimals int64
	seq              int64
	rule             *arenaRule
	opens, closes    int64
	drandRound       int64
	ref              *big.Int
	house            []answer
	forecasts        []*forecast
	counted          []*forecast
	freeze           *freeze
	unseal           *unseal
	grade            *grade
}

type answer struct {
	handle string
	value  *big.Int // null where it did not open
}

func houseHandle(name string) string { return handleID(2, []byte(name)) }

func (a *arena) takeRound(e entry) {
	m := e.body.object("id", "ticker", "period", "rule", "arena_rule", "decimals", "ref_period", "ref_value", "opens_at",
		"closes_at", "drand_round", "house")
	ticker, period := m["ticker"].ticker(), m["period"].date()
	r := a.round(ticker, period)
	if !same(e.body.v, r.body) {
		refuse("body", "another round than %s", canonical(r.body))
	}
	if a.rounds[r.round.id] != nil || e.at < r.round.opens || e.at >= r.round.closes {
		refuse("entry", "a second round, or one before it opens or after it closes")
	}
	r.round.seq = e.seq
	a.rounds[r.round.id] = r.round
	a.order = append(a.order, r.round)
}

type drafted struct {
	round *round
	body  any
}

// round makes the round of a period from the log so far.
func (a *arena) round(ticker string, period int64) drafted {
	if a.rule == nil || a.rule.arena == nil {
		refuse("body", "no rule makes rounds")
	}
	rule := a.rule.arena
	index, is := rule.indices[ticker]
	g := governs(a.versions[ticker], period)
	if !is || g == nil || !g.version.names(period) || g.version.withheld {
		refuse("body", "a round that is not made of this period")
	}
	prints := a.earlier(ticker, period, g.version.decimals)
	if len(prints) == 0 {
		refuse("body", "no earlier print")
	}
	r := &round{id: strings.ToLower(ticker) + "-" + formatDate(period), ticker: ticker, period: period,
		decimals: g.version.decimals, rule: a.rule, ref: prints[0].value}
	r.closes = a.closeOf(r, index)
	r.opens = r.closes - index.window
	r.drandRound = rule.chain.roundAt(r.closes + rule.sealMargin)
	if rule.chain.timeOf(r.drandRound) >= g.earliest {
		refuse("body", "a beacon's round that is out after the number")
	}
	r.house = []answer{{houseHandle("house-last"), r.ref}, {houseHandle("house-median"), lowerMedian(prints, rule.median)}}
	house := []any{}
	for _, each := range r.house {
		house = append(house, map[string]any{"handle": each.handle, "value": each.value.String()})
	}
	return drafted{r, map[string]any{
		"id": r.id, "ticker": ticker, "period": formatDate(period),
		"rule":       map[string]any{"version": g.version.number, "hash": g.version.hash},
		"arena_rule": a.rule.hash, "decimals": r.decimals, "ref_period": formatDate(prints[0].period),
		"ref_value": r.ref.String(), "opens_at": formatTime(r.opens), "closes_at": formatTime(r.closes),
		"drand_round": r.drandRound, "house": house,
	}}
}

func lowerMedian(prints []print, window int64) *big.Int {
	values := []*big.Int{}
	for _, p := range prints[:min(int(window), len(prints))] {
		values = append(values, p.value)
	}
	sort.Slice(values, func(i, j int) bool { return values[i].Cmp(values[j]) < 0 })
	return values[(len(values)-1)/2]
}

// closeOf is the close of a round by the versions of the index's rule in the log so far.
func (a *arena) closeOf(r *round, index arenaIndex) int64 {
	g := governs(a.versions[r.ticker], r.period)
	known := g.earliest
	if end := g.version.after(r.period) * day; index.known == "period_end" && end < known {
		known = end
	}
	return known - index.closeBefore
}

// earliest is the earliest release of a round's period so far.
func (a *arena) earliest(r *round) int64 {
	return governs(a.versions[r.ticker], r.period).earliest
}
