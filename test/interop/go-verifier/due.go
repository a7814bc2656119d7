package main

// The entries that a tick makes due, held to what follows from its leaves.

// settle takes the next entry where one is due.
func (t *terminal) settle(e entry) {
	next := t.pending[0]
	t.pending = t.pending[1:]
	kind := map[string]string{"open": "event/1", "close": "event-close/1", "receipt": "receipt/1", "benchmark": "benchmark/1"}[next.kind]
	if e.kind != kind || e.at != t.at {
		refuse("entry", "%s at %s where %s of %s is due", e.kind, formatTime(e.at), kind, next.event.Symbol)
	}
	switch next.kind {
	case "close":
		if parseClose(e.body) != next.closing {
			refuse("body", "another close than its leaves make: %s", canonical(e.body.v))
		}
	case "open":
		t.open(e, next.event)
	case "receipt":
		t.receipt(e, next)
	case "benchmark":
		t.benchmark(e, next)
	}
}

func (t *terminal) open(e entry, due *event) {
	said := parseEvent(e.body)
	if said.ID != due.ID || said.Symbol != due.Symbol || said.Class != due.Class || said.OpenedAt != due.OpenedAt ||
		said.Score != due.Score || said.Rule != due.Rule {
		refuse("body", "another opening than its leaves make")
	}
	due.Move, due.VolMult, due.Up, due.Down, due.Of, due.price = said.Move, said.VolMult, said.Up, said.Down, said.Of, said.price
	c := t.classes[due.Class]
	c.opening(due)
	t.opened = append(t.opened, due)
	breadth(t.opened)
	from, _ := c.begin(c.book.holdings[due.Symbol], due.count, c.rule.long)
	t.stated.price(due.Symbol, due.OpenedAt, due.price)
	t.stated.ret(due.Symbol, c.book.timeOf(due.Symbol, from), due.OpenedAt, due.Move)
	t.events = append(t.events, due)
	t.byID[due.ID] = due
}

func (t *terminal) receipt(e entry, due due) {
	said := parseReceipt(e.body)
	r := due.receipt
	if said.id != r.id || said.horizon != r.horizon || said.Status != r.Status || !sameInt(said.ResolvedAt, r.ResolvedAt) ||
		!sameText(said.Reason, r.Reason) {
		refuse("body", "another receipt than its leaves make")
	}
	due.event.Receipts[r.horizon] = &said
	if said.ResolvedAt != nil {
		t.stated.price(due.event.Symbol, *said.ResolvedAt, said.price)
		t.stated.ret(due.event.Symbol, due.event.OpenedAt, *said.ResolvedAt, *said.Ret)
	}
}

func (t *terminal) benchmark(e entry, due due) {
	said := parseBenchmark(e.body)
	m := due.mark
	if said.id != m.id || said.horizon != m.horizon || said.Symbol != m.Symbol || !sameInt(said.From, m.From) ||
		!sameInt(said.To, m.To) || !sameText(said.Reason, m.Reason) {
		refuse("body", "another benchmark than its leaves make")
	}
	due.event.Receipts[m.horizon].Benchmark = &said
	if said.Ret != nil {
		t.stated.price(said.Symbol, *said.From, said.fromPrice)
		t.stated.price(said.Symbol, *said.To, said.toPrice)
		t.stated.ret(said.Symbol, *said.From, *said.To, *said.Ret)
	}
}

func sameInt(a, b *int64) bool   { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
func sameText(a, b *string) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// statements are the returns and the commitments to prices that a log has stated.
type statements struct {
	rets   map[span]int64
	prices map[place]string
	places map[string]place
}

type place struct {
	symbol string
	ts     int64
}

type span struct {
	symbol   string
	from, to int64
}

func newStatements() *statements {
	return &statements{map[span]int64{}, map[place]string{}, map[string]place{}}
}

func (s *statements) ret(symbol string, from, to, ret int64) {
	at := span{symbol, from, to}
	if was, is := s.rets[at]; is && was != ret {
		refuse("body.ret", "%d, where the log has said %d of the same two ticks", ret, was)
	}
	s.rets[at] = ret
}

func (s *statements) price(symbol string, ts int64, commitment string) {
	at := place{symbol, ts}
	if was, is := s.prices[at]; is && was != commitment {
		refuse("body.price", "another commitment to the same price than before")
	}
	if was, is := s.places[commitment]; is && was != at {
		refuse("body.price", "the commitment of another asset or tick")
	}
	s.prices[at], s.places[commitment] = commitment, at
}
