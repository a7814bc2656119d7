package main

// Events, receipts and benchmarks: their bodies (docs/spec/event.md, docs/spec/receipt.md).

var horizons = []struct {
	name    string
	seconds int64
}{{"24h", day}, {"7d", 7 * day}, {"30d", 30 * day}}

func eventID(symbol string, openedAt int64) string {
	return uuid8(tagged("assay/event/v1", pad16(symbol), le64(openedAt)))
}

type event struct {
	ID       string              `json:"id"`
	Symbol   string              `json:"symbol"`
	Class    string              `json:"class"`
	OpenedAt int64               `json:"opened_at"`
	Score    int64               `json:"score"`
	Move     int64               `json:"move_24h"`
	VolMult  int64               `json:"vol_mult"`
	Up       int64               `json:"up"`
	Down     int64               `json:"down"`
	Of       int64               `json:"of"`
	Rule     string              `json:"rule"`
	ClosedAt *int64              `json:"closed_at"`
	Reason   string              `json:"reason"`
	Peak     int64               `json:"peak_score"`
	Receipts map[string]*receipt `json:"receipts"`
	price    string
	count    int64
}

func parseEvent(body node) event {
	m := body.object("id", "symbol", "class", "opened_at", "score", "move_24h", "vol_mult", "breadth", "price", "rule")
	e := event{ID: m["id"].match(uuid8Form), Symbol: m["symbol"].match(symbolForm),
		Class: m["class"].oneOf("crypto", "stock"), OpenedAt: m["opened_at"].terminalTime(),
		Score: m["score"].integer(0, 100), Move: none, VolMult: none, price: m["price"].hash(), Rule: m["rule"].hash()}
	if !m["move_24h"].null() {
		e.Move = m["move_24h"].integer(-10000, maxInteger)
	}
	if !m["vol_mult"].null() {
		e.VolMult = m["vol_mult"].integer(0, maxInteger)
	}
	b := m["breadth"].object("up", "down", "of")
	e.Up, e.Down = b["up"].integer(0, maxInteger), b["down"].integer(0, maxInteger)
	if e.Of = b["of"].integer(0, maxInteger); e.Up+e.Down > e.Of {
		refuse(m["breadth"].at, "more that moved than there are")
	}
	return e
}

type closing struct {
	id       string
	closedAt int64
	reason   string
	peak     int64
}

func parseClose(body node) closing {
	m := body.object("id", "closed_at", "reason", "peak_score")
	return closing{m["id"].match(uuid8Form), m["closed_at"].terminalTime(), m["reason"].oneOf("below", "age", "silent"),
		m["peak_score"].integer(0, 100)}
}

type receipt struct {
	Status     string     `json:"status"`
	ResolvedAt *int64     `json:"resolved_at"`
	Ret        *int64     `json:"ret"`
	Reason     *string    `json:"reason"`
	Benchmark  *benchmark `json:"benchmark"`
	id         string
	horizon    string
	price      string
}

func horizonOf(n node) string { return n.oneOf("24h", "7d", "30d") }

func parseReceipt(body node) receipt {
	m := body.object("id", "horizon", "status", "resolved_at", "ret", "price", "reason")
	r := receipt{id: m["id"].match(uuid8Form), horizon: horizonOf(m["horizon"]), Status: m["status"].oneOf("resolved", "void")}
	r.ResolvedAt, r.Ret, r.price = m["resolved_at"].orTime(), m["ret"].orReturn(), m["price"].orHash()
	r.Reason = m["reason"].orWord("no_data", "delisted")
	resolved := r.Status == "resolved"
	if (r.ResolvedAt != nil) != resolved || (r.Ret != nil) != resolved || (r.price != "") != resolved || (r.Reason == nil) != resolved {
		refuse(body.at, "members that do not go with the status")
	}
	return r
}

type benchmark struct {
	Symbol             string  `json:"symbol"`
	From               *int64  `json:"from"`
	To                 *int64  `json:"to"`
	Ret                *int64  `json:"ret"`
	Reason             *string `json:"reason"`
	id, horizon        string
	fromPrice, toPrice string
}

func parseBenchmark(body node) benchmark {
	m := body.object("id", "horizon", "symbol", "from", "to", "ret", "from_price", "to_price", "reason")
	b := benchmark{id: m["id"].match(uuid8Form), horizon: horizonOf(m["horizon"]), Symbol: m["symbol"].match(symbolForm)}
	b.From, b.To, b.Ret = m["from"].orTime(), m["to"].orTime(), m["ret"].orReturn()
	b.fromPrice, b.toPrice = m["from_price"].orHash(), m["to_price"].orHash()
	b.Reason = m["reason"].orWord("own", "no_data")
	there := b.Reason == nil
	if (b.From != nil) != there || (b.To != nil) != there || (b.Ret != nil) != there || (b.fromPrice != "") != there || (b.toPrice != "") != there {
		refuse(body.at, "members that do not go with the reason")
	}
	return b
}

func (n node) orTime() *int64 {
	if n.null() {
		return nil
	}
	ts := n.terminalTime()
	return &ts
}

func (n node) orReturn() *int64 {
	if n.null() {
		return nil
	}
	ret := n.integer(-10000, maxInteger)
	return &ret
}

func (n node) orHash() string {
	if n.null() {
		return ""
	}
	return n.hash()
}

func (n node) orWord(words ...string) *string {
	if n.null() {
		return nil
	}
	word := n.oneOf(words...)
	return &word
}
