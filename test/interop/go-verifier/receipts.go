package main

import "sort"

// Receipts and benchmarks as they become due (docs/spec/receipt.md).

// receipts decides the receipts of the events that opened before this tick.
func (b *book) receipts(rule *scoreRule, ts int64, marks map[string]mark) []due {
	out := []due{}
	for _, each := range b.awaited {
		if each.resolved != none {
			continue
		}
		if r := b.receipt(rule, each, ts, marks[each.event.Symbol]); r != nil {
			out = append(out, due{kind: "receipt", event: each.event, horizon: each.horizon, receipt: *r})
		}
	}
	b.drop(out)
	return inOrder(out)
}

func (b *book) receipt(rule *scoreRule, of *awaited, ts int64, at mark) *receipt {
	h := horizons[of.horizon]
	at0 := of.event.OpenedAt + h.seconds
	void := func(reason string) *receipt {
		return &receipt{id: of.event.ID, horizon: h.name, Status: "void", Reason: &reason}
	}
	switch {
	case ts > at0+rule.voidAfter:
		return void("no_data")
	case !b.holdings[of.event.Symbol].listed:
		return void("delisted")
	case at.good && ts >= at0:
		of.resolved = ts
		return &receipt{id: of.event.ID, horizon: h.name, Status: "resolved", ResolvedAt: &ts}
	}
	return nil
}

// drop forgets what is void: it has no benchmark.
func (b *book) drop(decided []due) {
	void := map[string]bool{}
	for _, each := range decided {
		if each.kind == "benchmark" || each.receipt.Status == "void" {
			void[each.event.ID+horizons[each.horizon].name] = true
		}
	}
	kept := b.awaited[:0]
	for _, each := range b.awaited {
		if !void[each.event.ID+horizons[each.horizon].name] {
			kept = append(kept, each)
		}
	}
	b.awaited = kept
}

func (b *book) benchmarks(rule *scoreRule, ts int64) []due {
	out := []due{}
	for _, each := range b.awaited {
		if each.resolved == none {
			continue
		}
		if m := b.benchmark(rule, each, ts); m != nil {
			m.id, m.horizon, m.Symbol = each.event.ID, horizons[each.horizon].name, rule.benchmark
			out = append(out, due{kind: "benchmark", event: each.event, horizon: each.horizon, mark: *m})
		}
	}
	b.drop(out)
	return inOrder(out)
}

func (b *book) benchmark(rule *scoreRule, of *awaited, ts int64) *benchmark {
	without := func(reason string) *benchmark { return &benchmark{Reason: &reason} }
	if of.event.Symbol == rule.benchmark {
		return without("own")
	}
	from, hasFrom := b.firstGood(rule.benchmark, of.event.OpenedAt, rule.benchmarkTolerance)
	to, hasTo := b.firstGood(rule.benchmark, of.resolved, rule.benchmarkTolerance)
	switch {
	case !hasFrom && ts > of.event.OpenedAt+rule.benchmarkTolerance:
		return without("no_data")
	case !hasTo && ts > of.resolved+rule.benchmarkTolerance:
		return without("no_data")
	case hasFrom && hasTo:
		return &benchmark{From: &from, To: &to}
	}
	return nil
}

// firstGood is the first good tick of an asset from a time on, within the tolerance.
func (b *book) firstGood(symbol string, from, tolerance int64) (int64, bool) {
	h := b.holdings[symbol]
	if h == nil {
		return 0, false
	}
	i := sort.Search(len(h.times), func(i int) bool { return h.times[i] >= from })
	if i == len(h.times) || h.times[i] > from+tolerance {
		return 0, false
	}
	return h.times[i], true
}
