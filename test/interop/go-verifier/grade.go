package main

import "math/big"

// The grades of a round (docs/spec/arena.md#grade).

const partSize = 400

type result struct {
	handle string
	value  *big.Int
	points int64
}

// gradedPart is one grade entry of a round that has points.
type gradedPart struct {
	round   *round
	results []result
}

type grade struct {
	parts     int64
	next      int64
	done      bool
	void      string
	results   []result
	body      map[string]any // without part and results
	listed    []any
	refPoints int64
	n         int64
	number    *big.Int
}

// points of a forecast for a print, both with their decimals.
func points(forecast *big.Int, decimals int64, print *big.Int, printDecimals, zeroAt int64) int64 {
	f, p := scaleTo(forecast, decimals, printDecimals), scaleTo(print, printDecimals, decimals)
	if p.Sign() == 0 {
		if f.Sign() == 0 {
			return 100
		}
		return 0
	}
	most := new(big.Int).Mul(big64(zeroAt), new(big.Int).Abs(p))
	off := new(big.Int).Mul(big64(100), new(big.Int).Abs(f.Sub(f, p)))
	if off.Cmp(most) >= 0 {
		return 0
	}
	left := new(big.Int).Sub(most, off)
	return roundHalfAway(left.Mul(left, big64(100)), most).Int64()
}

// scaleTo is a value in units of the finer of two decimals.
func scaleTo(value *big.Int, decimals, other int64) *big.Int {
	finer := max(0, other-decimals)
	return new(big.Int).Mul(value, new(big.Int).Exp(big64(10), big64(finer), nil))
}

// arenaNumber is the weighted mean over the seats whose forecast opened, and how many those are.
func arenaNumber(top []seat, values map[string]*big.Int) (*big.Int, int64) {
	sum, weights, n := new(big.Int), int64(0), int64(0)
	for _, each := range top {
		if v := values[each.handle]; v != nil {
			sum.Add(sum, new(big.Int).Mul(v, big64(each.weight)))
			weights += each.weight
			n++
		}
	}
	if weights == 0 {
		return nil, n
	}
	return roundHalfAway(sum, big64(weights)), n
}

func (a *arena) takeGrade(e entry) {
	m := e.body.object("round", "part", "parts", "print", "report", "void_reason", "arena", "count", "unopened", "results")
	r := a.rounds[m["round"].text(1, 64)]
	if r == nil || r.unseal == nil || (r.grade != nil && r.grade.done) {
		refuse("body.round", "no round that is to be graded")
	}
	if r.grade == nil {
		r.grade = a.draft(r)
	}
	g := r.grade
	from := g.next * partSize
	to := min(from+partSize, int64(len(g.listed)))
	expected := map[string]any{"part": g.next, "results": g.listed[from:to]}
	for name, v := range g.body {
		expected[name] = v
	}
	if !same(e.body.v, expected) {
		refuse("body", "another grade than %s", canonical(expected))
	}
	g.next++
	g.done = g.next == g.parts
	if g.void == "" {
		a.graded = append(a.graded, gradedPart{r, g.results[from:to]})
	}
}

// draft makes the grades of a round from the log so far.
func (a *arena) draft(r *round) *grade {
	g := &grade{void: r.unseal.void}
	ended, is := a.prints[r.ticker][r.period]
	if g.void == "" && !is {
		refuse("body", "graded before the number is out")
	}
	if g.void == "" && ended.withheld {
		g.void = "withheld"
	} else if g.void == "" && ended.value == nil {
		g.void = "void_period"
	}
	unopened := 0
	values := map[string]*big.Int{}
	for _, f := range r.counted {
		values[f.handle] = f.value
		if f.value == nil && r.unseal.void == "" {
			unopened++
		}
		g.results = append(g.results, result{handle: f.handle, value: f.value})
	}
	for _, each := range r.house {
		g.results = append(g.results, result{handle: each.handle, value: each.value})
	}
	var print, report, reason, number any
	if r.unseal.void == "" {
		report = ended.hash
		g.number, g.n = arenaNumber(r.freeze.top, values)
	}
	if g.void != "" {
		reason, g.results = g.void, nil
	} else {
		print = ended.value.String()
	}
	if g.number != nil {
		number = g.number.String()
	}
	a.score(r, g, ended)
	g.parts = max(1, int64((len(g.listed)+partSize-1)/partSize))
	g.body = map[string]any{"round": r.id, "parts": g.parts, "print": print, "report": report, "void_reason": reason,
		"arena": map[string]any{"value": number, "n": g.n}, "count": len(r.counted), "unopened": unopened}
	return g
}

// score gives the points of a round that is not void.
func (a *arena) score(r *round, g *grade, ended print) {
	g.listed = []any{}
	if g.void != "" {
		return
	}
	zeroAt := r.rule.arena.zeroAt
	for i := range g.results {
		each := &g.results[i]
		row := map[string]any{"handle": each.handle, "value": nil}
		if each.value != nil {
			row["value"] = each.value.String()
			each.points = points(each.value, r.decimals, ended.value, ended.decimals, zeroAt)
		}
		row["points"] = each.points
		g.listed = append(g.listed, row)
	}
	g.refPoints = points(r.ref, r.decimals, ended.value, ended.decimals, zeroAt)
}
