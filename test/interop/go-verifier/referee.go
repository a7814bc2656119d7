package main

// Questions on events and their outcomes (docs/spec/referee.md). Answers are read by nobody here.

type refereeRule struct {
	class                                 string
	threshold, horizon, window, tolerance int64
	leastGroup                            int64
	hash                                  string
}

type question struct {
	id, symbol, class     string
	resolvesAt, threshold int64
	tolerance             int64
	group                 string
}

type tally struct{ yes, of int64 }

type referee struct {
	terminal *terminal
	rule     *refereeRule
	open     []*question
	asked    int
	decided  int
	groups   map[string]tally
	all      tally
	pending  []pendingEntry
	fresh    bool // the newest tick's own entries have not been asked about
}

type pendingEntry struct {
	kind string
	body any
	then func()
}

func newReferee(t *terminal) *referee {
	return &referee{terminal: t, groups: map[string]tally{}}
}

func (r *referee) take(e entry) {
	switch e.kind {
	case "arena-rule/1":
		r.rule = nil
		if rule := parseArenaRule(node{"rule", e.body.object("rule")["rule"].v}); rule.referee != nil {
			r.rule = rule.referee
		}
	case "tick/1":
		r.fresh = true
	}
	if len(r.pending) > 0 {
		r.settle(e)
	} else if e.kind == "question/1" || e.kind == "outcome/1" {
		refuse("entry.kind", "%s that nothing makes due", e.kind)
	}
	if r.fresh && len(r.terminal.pending) == 0 {
		r.fresh = false
		r.questions()
		r.outcomes()
	}
}

func (r *referee) settle(e entry) {
	next := r.pending[0]
	r.pending = r.pending[1:]
	if e.kind != next.kind || e.at != r.terminal.at || !same(e.body.v, next.body) {
		refuse("body", "%s, where this is due: %s %s", e.kind, next.kind, canonical(next.body))
	}
	next.then()
}

func (r *referee) questions() {
	if r.rule == nil || r.terminal.newest.class != r.rule.class {
		return
	}
	for _, e := range r.terminal.opened {
		rule := r.rule
		q := &question{uuid8(tagged("assay/question/v1", unhex(plainUUID(e.ID)))), e.Symbol, e.Class,
			e.OpenedAt + rule.horizon, rule.threshold, rule.tolerance, groupOf(e)}
		r.pending = append(r.pending, pendingEntry{"question/1", r.body(e, q), func() {
			r.open = append(r.open, q)
			r.asked++
		}})
	}
}

func plainUUID(id string) string {
	return id[:8] + id[9:13] + id[14:18] + id[19:23] + id[24:]
}

func (r *referee) body(e *event, q *question) any {
	share := r.groups[q.group]
	basis := "group"
	if q.group == "" || share.of < r.rule.leastGroup {
		share, basis = r.all, "all"
	}
	if share.of == 0 {
		basis = "none"
	}
	var group any
	if q.group != "" {
		group = map[string]any{"bucket": bucketOf(e.Move), "breadth": breadthOf(e)}
	}
	return map[string]any{
		"id": q.id, "event": e.ID, "symbol": e.Symbol, "opened_at": formatTime(e.OpenedAt),
		"closes_at": formatTime(e.OpenedAt + r.rule.window), "resolves_at": formatTime(q.resolvesAt),
		"threshold": q.threshold, "tolerance_s": q.tolerance, "rule": r.rule.hash, "score_rule": e.Rule,
		"nulls":   map[string]any{"persistence": 100, "always_under": 0, "climatology": r.all.percent()},
		"service": map[string]any{"p": share.percent(), "basis": basis, "group": group, "yes": share.yes, "of": share.of},
	}
}

func (t tally) percent() int64 {
	if t.of == 0 {
		return 50
	}
	return roundHalfAway(product(100, t.yes), big64(t.of)).Int64()
}

// groupOf is the group of an event (docs/spec/base-rate.md#groups); empty where it has none.
func groupOf(e *event) string {
	if e.Move == none || e.Of == 0 {
		return ""
	}
	return bucketOf(e.Move) + "/" + breadthOf(e)
}

func bucketOf(move int64) string {
	switch {
	case move <= -1500:
		return "down_15"
	case move <= -500:
		return "down_5"
	case move < 500:
		return "within_5"
	case move < 1500:
		return "up_5"
	case move < 3000:
		return "up_15"
	}
	return "up_30"
}

func breadthOf(e *event) string {
	moved := max(e.Up, e.Down)
	if e.Move > 0 {
		moved = e.Up
	} else if e.Move < 0 {
		moved = e.Down
	}
	switch {
	case moved*10 < e.Of:
		return "alone"
	case moved*10 < e.Of*3:
		return "some"
	}
	return "broad"
}

func (r *referee) outcomes() {
	t := r.terminal
	kept := []*question{}
	for _, q := range r.open {
		m := t.marks[q.symbol]
		body := map[string]any{"question": q.id, "outcome": "void", "score": nil, "resolved_at": nil}
		switch {
		case q.class != t.newest.class || t.newest.ts < q.resolvesAt:
			kept = append(kept, q)
			continue
		case !t.assets[q.symbol].listed || t.newest.ts > q.resolvesAt+q.tolerance:
		case m.good && m.score >= 0:
			body["outcome"], body["score"], body["resolved_at"] = "no", m.score, formatTime(t.newest.ts)
			if m.score >= q.threshold {
				body["outcome"] = "yes"
			}
		default:
			kept = append(kept, q)
			continue
		}
		r.pending = append(r.pending, pendingEntry{"outcome/1", body, func() { r.count(q, body["outcome"].(string)) }})
	}
	r.open = kept
}

func (r *referee) count(q *question, outcome string) {
	r.decided++
	if outcome == "void" {
		return
	}
	group := r.groups[q.group]
	group.of, r.all.of = group.of+1, r.all.of+1
	if outcome == "yes" {
		group.yes, r.all.yes = group.yes+1, r.all.yes+1
	}
	r.groups[q.group] = group
}
