package main

// What leaves fix of scores and openings (docs/spec/score.md#what-leaves-fix, docs/spec/event.md#opening).

// held refuses a leaf with a score where a return, the samples or the days are lacking.
func (c *class) held(of leaf, i int64) {
	if of.score < 0 {
		return
	}
	h := c.book.holdings[of.symbol]
	for _, w := range []int64{c.rule.long, c.rule.short} {
		if _, is := c.begin(h, i, w); !is {
			refuse("blob", "%s has a score without a return over %d", of.symbol, w)
		}
		if n := c.samples(h, i, w); n < c.rule.minSamples {
			refuse("blob", "%s has a score of %d samples", of.symbol, n)
		}
	}
	days := int64(0)
	for k := int64(1); k <= c.rule.days; k++ {
		if h.good[i-k*c.rule.day] {
			days++
		}
	}
	if days < c.rule.minDays {
		refuse("blob", "%s has a score of %d days", of.symbol, days)
	}
}

func (c *class) begin(h *holding, i, w int64) (int64, bool) {
	return c.rule.begin(func(at int64) bool { return h.good[at] }, i, w)
}

func (c *class) samples(h *holding, i, w int64) int64 {
	n := int64(0)
	step := c.rule.sample
	for j := i - 1 - (i-1)%step; j >= i-c.rule.window; j -= step {
		if h.good[j] {
			if _, is := c.begin(h, j, w); is {
				n++
			}
		}
	}
	return n
}

// of is how many assets are good at a tick and have a move there.
func (c *class) of(i int64) int64 {
	n := int64(0)
	for _, h := range c.book.holdings {
		if h.good[i] {
			if _, is := c.begin(h, i, c.rule.long); is {
				n++
			}
		}
	}
	return n
}

// opening refuses an event whose own members do not go with each other and with the leaves.
func (c *class) opening(e *event) {
	if e.Move == none || e.VolMult == none {
		refuse("body", "a score without a move or a volume")
	}
	if of := c.of(e.count); of != e.Of {
		refuse("body.breadth", "of %d, where leaves have %d", e.Of, of)
	}
	p := c.rule.partVolume.points(e.VolMult)
	least := roundHalfAway(p.Num(), p.Denom()).Int64()
	most := least + c.rule.partLong.weight + c.rule.partShort.weight
	if e.Score < least || e.Score > most {
		refuse("body.score", "not from %d to %d", least, most)
	}
}

// breadth refuses events of one tick that have not one breadth, or are not in it.
func breadth(opened []*event) {
	up, down := int64(0), int64(0)
	for _, e := range opened {
		if e.Up != opened[0].Up || e.Down != opened[0].Down || e.Of != opened[0].Of {
			refuse("body.breadth", "not that of the event before")
		}
		if e.Move >= 500 {
			up++
		} else if e.Move <= -500 {
			down++
		}
	}
	if len(opened) == 0 {
		return
	}
	e := opened[0]
	flat := int64(len(opened)) - up - down
	if up > e.Up || down > e.Down || flat > e.Of-e.Up-e.Down {
		refuse("body.breadth", "without the events themselves")
	}
}
