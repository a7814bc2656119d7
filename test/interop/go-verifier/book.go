package main

import "sort"

// Which events, closes, receipts and benchmarks the ticks of a class make due (docs/spec/event.md#the-machine).

// mark is what a leaf says of an asset at a tick; without a leaf it is the zero mark with no score.
type mark struct {
	good  bool
	score int64 // -1 for none
}

var unread = mark{score: -1}

type machine struct {
	armed  bool
	event  *event
	opened int64
	row    int64
	last   int64
}

// holding is an asset in a book, with its history of good ticks.
type holding struct {
	symbol  string
	listed  bool
	machine *machine
	good    map[int64]bool  // by count
	at      map[int64]int64 // their times
	times   []int64         // the same, rising
}

// awaited is what is still to come of an event.
type awaited struct {
	event    *event
	horizon  int
	resolved int64 // none before its receipt
}

type book struct {
	holdings map[string]*holding
	awaited  []*awaited
}

type due struct {
	kind    string
	event   *event
	horizon int
	closing closing
	receipt receipt
	mark    benchmark
}

func newBook() *book { return &book{holdings: map[string]*holding{}} }

func (b *book) list(symbol string, listed bool) {
	h := b.holdings[symbol]
	if h == nil {
		h = &holding{symbol: symbol, good: map[int64]bool{}, at: map[int64]int64{}}
		b.holdings[symbol] = h
	}
	h.listed = listed
	if listed && h.machine == nil {
		h.machine = &machine{armed: true, last: none}
	}
}

func (b *book) symbols() []string {
	out := make([]string, 0, len(b.holdings))
	for symbol := range b.holdings {
		out = append(out, symbol)
	}
	sort.Strings(out)
	return out
}

// step takes a tick and gives what it makes due, in the order of the log.
func (b *book) step(rule *scoreRule, ts, count int64, marks map[string]mark) []due {
	var closes, opens []due
	for _, symbol := range b.symbols() {
		h := b.holdings[symbol]
		at := unread
		if m, read := marks[symbol]; read && h.listed {
			at = m
		}
		if at.good {
			h.good[count] = true
			h.at[count] = ts
			h.times = append(h.times, ts)
		}
		marks[symbol] = at
	}
	receipts := b.receipts(rule, ts, marks)
	benchmarks := b.benchmarks(rule, ts)
	for _, symbol := range b.symbols() {
		h := b.holdings[symbol]
		if h.machine == nil {
			continue
		}
		each := h.machine.step(rule, symbol, ts, count, marks[symbol])
		if each == nil {
			continue
		}
		if each.kind == "close" {
			closes = append(closes, *each)
			continue
		}
		opens = append(opens, *each)
		for i := range horizons {
			b.awaited = append(b.awaited, &awaited{each.event, i, none})
		}
	}
	return append(append(append(closes, receipts...), benchmarks...), opens...)
}

// step is steps 1 to 5 of the machine at one tick.
func (m *machine) step(rule *scoreRule, symbol string, ts, count int64, at mark) *due {
	scored := at.score >= 0
	if scored && m.event == nil && !m.armed {
		m.armed = m.row >= rule.consecutive && count-m.opened >= rule.rearm
	}
	if scored && at.score < rule.close {
		m.row++
	} else if scored {
		m.row = 0
	}
	silence := count - m.last
	if at.good {
		m.last = count
	}
	if m.event != nil {
		return m.close(rule, ts, count, at, silence)
	}
	if !m.armed || !scored || at.score < rule.open {
		return nil
	}
	m.event = &event{ID: eventID(symbol, ts), Symbol: symbol, Class: rule.class, OpenedAt: ts, Score: at.score,
		Peak: at.score, Rule: rule.hash, count: count, Receipts: map[string]*receipt{}}
	m.opened, m.armed = count, false
	return &due{kind: "open", event: m.event}
}

func (m *machine) close(rule *scoreRule, ts, count int64, at mark, silence int64) *due {
	e := m.event
	e.Peak = max(e.Peak, at.score)
	reason := ""
	switch {
	case at.score >= 0 && m.row >= rule.consecutive:
		reason = "below"
	case count-m.opened >= rule.max:
		reason = "age"
	case silence >= rule.silent:
		reason = "silent"
	default:
		return nil
	}
	e.ClosedAt, e.Reason = &ts, reason
	m.event = nil
	return &due{kind: "close", event: e, closing: closing{e.ID, ts, reason, e.Peak}}
}

// inOrder sorts what is due by symbol, horizon and opening.
func inOrder(list []due) []due {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.event.Symbol != b.event.Symbol {
			return a.event.Symbol < b.event.Symbol
		}
		if a.horizon != b.horizon {
			return a.horizon < b.horizon
		}
		return a.event.OpenedAt < b.event.OpenedAt
	})
	return list
}

func (b *book) timeOf(symbol string, count int64) int64 { return b.holdings[symbol].at[count] }
