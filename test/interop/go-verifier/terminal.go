package main

// The Terminal's part of a log: which entries its ticks make due, and what public leaves fix of them.

type listing struct {
	asset
	delisted    bool
	ticksThen   int64 // ticks of the class at the delisting
	lastThen    int64 // the newest of them
	splits      []int64
	symbolSplit []splitBody
}

type class struct {
	rules map[string]*scoreRule
	rule  *scoreRule
	book  *book
	ticks int64
	last  int64
}

type terminal struct {
	blobs   func(hash string) []byte
	classes map[string]*class
	assets  map[string]*listing
	events  []*event
	byID    map[string]*event
	stated  *statements
	pending []due
	at      int64
	opened  []*event        // by the newest tick, in the order of the log
	marks   map[string]mark // of the newest tick
	newest  tick
}

func newTerminal(blobs func(hash string) []byte) *terminal {
	return &terminal{
		blobs:   blobs,
		classes: map[string]*class{"crypto": newClass(), "stock": newClass()},
		assets:  map[string]*listing{},
		byID:    map[string]*event{},
		stated:  newStatements(),
	}
}

func newClass() *class {
	return &class{rules: map[string]*scoreRule{}, book: newBook(), last: none}
}

func (t *terminal) take(e entry) {
	if len(t.pending) > 0 {
		t.settle(e)
		return
	}
	switch e.kind {
	case "score-rule/1":
		t.takeRule(e)
	case "asset/1":
		t.takeAsset(e)
	case "split/1":
		t.takeSplit(e)
	case "tick/1":
		t.takeTick(e)
	case "event/1", "event-close/1", "receipt/1", "benchmark/1":
		refuse("entry.kind", "%s that no tick makes due", e.kind)
	}
}

func (t *terminal) takeRule(e entry) {
	r := parseScoreRule(node{"rule", e.body.object("rule")["rule"].v})
	c := t.classes[r.class]
	if c.rule != nil && (r.version != c.rule.version+1 || r.study < c.rule.study || !same(r.receipts, c.rule.receipts)) {
		refuse("rule", "not of the next version, with earlier studies, or with other receipts")
	}
	c.rule = &r
	c.rules[r.hash] = &r
}

func (t *terminal) takeAsset(e entry) {
	a := parseAsset(e.body)
	c := t.classes[a.class]
	was := t.assets[a.symbol]
	if was == nil {
		was = &listing{asset: a}
		t.assets[a.symbol] = was
	} else if was.class != a.class || was.decimals != a.decimals {
		refuse("body", "another class, or other decimals, than the first entry of the symbol")
	}
	if a.listed && was.delisted && c.ticks > was.ticksThen && !c.over(was.lastThen) {
		refuse("body.listed", "listed again before its receipts would have been due")
	}
	if !a.listed && !was.delisted {
		was.ticksThen, was.lastThen = c.ticks, c.last
	}
	was.asset, was.delisted = a, !a.listed
	c.book.list(a.symbol, a.listed)
}

// over says whether all receipts of events up to a tick would have been due.
func (c *class) over(since int64) bool {
	return since == none || c.last-since >= 30*day+c.rule.voidAfter
}

func (t *terminal) takeSplit(e entry) {
	s := parseSplit(e.body)
	a := t.assets[s.symbol]
	if a == nil {
		refuse("body.symbol", "no asset")
	}
	if t.classes[a.class].last >= s.at {
		refuse("body.effective_at", "not before the first tick from then on")
	}
	for _, at := range a.splits {
		if max(at-s.at, s.at-at) < day {
			refuse("body.effective_at", "less than a day from another")
		}
	}
	a.splits = append(a.splits, s.at)
}

func (t *terminal) takeTick(e entry) {
	k := parseTick(e.body)
	c := t.classes[k.class]
	if c.rule == nil || k.rule != c.rule.hash {
		refuse("body.rule", "not the newest score rule")
	}
	if k.ts <= c.last {
		refuse("body.ts", "not after the tick before")
	}
	if e.at < k.ts {
		refuse("entry.at", "before the time of the tick")
	}
	marks := map[string]mark{}
	leaves := k.leaves(t.blobs(k.blob))
	for _, each := range leaves {
		if a := t.assets[each.symbol]; a == nil || a.class != k.class || !a.listed {
			refuse("blob", "a leaf of %s, which is not listed", each.symbol)
		}
		marks[each.symbol] = mark{each.good, each.score}
	}
	t.newest, t.at, t.opened = k, e.at, nil
	t.pending = c.book.step(c.rule, k.ts, k.count, marks)
	t.marks = marks
	c.last = k.ts
	c.ticks++
	for _, each := range leaves {
		c.held(each, k.count)
	}
}
