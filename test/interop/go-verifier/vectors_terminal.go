package main

import "fmt"

// terminal recomputes ids, the series of scores, and the book of a month.
func (v *vectors) terminal() {
	for _, r := range v.rows("event/ids") {
		v.is("event id", eventID(text(r["symbol"]), r["opened_at"].(int64)), r["id"])
	}
	for _, r := range v.rows("tick/grid") {
		v.grid(r)
	}
	rule := parseScoreRule(node{"rule", v.rows("score/rules")[0]["rule"]})
	for _, r := range v.rows("score/series") {
		v.series(rule, r)
	}
	for _, r := range v.rows("event/books") {
		v.book(r)
	}
}

func (v *vectors) grid(r row) {
	at, err := parseTime(text(r["at"]))
	count, is := gridCount(text(r["class"]), at)
	if r["count"] == nil {
		v.is(fmt.Sprint("grid ", r["at"]), is || err != nil, false)
		return
	}
	v.is(fmt.Sprint("grid ", r["at"]), []any{count, is}, []any{r["count"], true})
}

func (v *vectors) series(rule scoreRule, r row) {
	rule.parseWindows(node{"returns", r["returns"]}, node{"volume", r["volume"]})
	s := series{rule: rule, byCount: map[int64]reading{}}
	for _, each := range r["splits"].([]any) {
		m := each.(row)
		s.splits = append(s.splits, split{m["index"].(int64), m["numerator"].(int64), m["denominator"].(int64)})
	}
	want := r["scored"].([]any)
	for i, each := range r["readings"].([]any) {
		read := each.([]any)
		volume, is := read[2].(int64)
		if !is {
			volume = -1
		}
		count := read[0].(int64)
		s.byCount[count] = reading{count, read[1].(int64), volume}
		got := s.at(count)
		out := []any{orNil(got.score), orNil(got.move), orNil(got.volMult), orNil(got.zLong), orNil(got.zShort)}
		v.is(fmt.Sprint(r["name"], " ", i), string(canonical(out)), string(canonical(want[i])))
	}
}

func orNil(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}

func (v *vectors) book(r row) {
	rule := scoreRule{class: "crypto"}
	rule.parseEvent(node{"event", r["event"]}, node{"receipts", r["receipts"]})
	b := newBook()
	for i, each := range r["steps"].([]any) {
		step := each.(row)
		for member, listed := range map[string]bool{"list": true, "delist": false} {
			if list, is := step[member].([]any); is {
				for _, symbol := range list {
					b.list(text(symbol), listed)
				}
			}
		}
		marks := map[string]mark{}
		for symbol, said := range step["leaves"].(row) {
			m := mark{said.([]any)[1].(bool), -1}
			if score, is := said.([]any)[0].(int64); is {
				m.score = score
			}
			marks[symbol] = m
		}
		ts := step["ts"].(int64)
		got := []any{}
		for _, each := range b.step(&rule, ts, ts/quarter, marks) {
			got = append(got, each.row())
		}
		v.is(fmt.Sprint("book ", i), string(canonical(got)), string(canonical(r["dues"].([]any)[i])))
	}
}

func (d due) row() any {
	e := d.event
	out := row{"kind": d.kind, "id": e.ID, "symbol": e.Symbol}
	switch d.kind {
	case "open":
		out["opened_at"], out["score"] = e.OpenedAt, e.Score
	case "close":
		out["closed_at"], out["reason"], out["peak_score"] = d.closing.closedAt, d.closing.reason, d.closing.peak
	case "receipt":
		r := d.receipt
		out["horizon"], out["opened_at"], out["status"] = r.horizon, e.OpenedAt, r.Status
		out["resolved_at"], out["reason"] = orNil(r.ResolvedAt), wordOrNil(r.Reason)
	case "benchmark":
		m := d.mark
		out["horizon"], out["benchmark"], out["from"], out["to"] = m.horizon, m.Symbol, orNil(m.From), orNil(m.To)
		out["reason"] = wordOrNil(m.Reason)
	}
	return out
}

func wordOrNil(word *string) any {
	if word == nil {
		return nil
	}
	return *word
}
