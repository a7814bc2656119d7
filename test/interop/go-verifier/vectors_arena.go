package main

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"sort"
)

// arena recomputes rules, single computations, and a whole log with rounds.
func (v *vectors) arena() {
	for _, r := range v.rows("arena/rules") {
		v.is("arena rule "+text(r["name"]), parseArenaRule(node{"rule", r["rule"]}).hash, r["hash"])
		v.is("arena rule "+text(r["name"]), string(canonical(r["rule"])), r["canonical"])
	}
	for _, r := range v.rows("arena/refused-rules") {
		v.refused("arena rule "+text(r["name"]), r["at"], func() { parseArenaRule(node{"rule", r["rule"]}) })
	}
	for i, r := range v.rows("arena/cases") {
		c := r["case"].(row)
		v.is(fmt.Sprint("arena case ", i, " ", c["type"]), string(canonical(arenaCase(c))), string(canonical(r["result"])))
	}
	example := v.load("arena/example").(row)
	v.whole("the example", example, v.load("arena/standings"))
	for i, r := range v.rows("arena/voids") {
		v.whole(fmt.Sprint("void rounds ", i), r, nil)
	}
}

func whole(v any) *big.Int {
	out, _ := new(big.Int).SetString(v.(string), 10)
	return out
}

func arenaCase(c row) any {
	switch c["type"] {
	case "points":
		return points(whole(c["forecast"]), 0, whole(c["print"]), 0, c["zero_at"].(int64))
	case "mean":
		return meanOf(c["total"].(int64), c["graded"].(int64))
	case "order":
		return orderCase(c)
	case "arena":
		return numberCase(c)
	case "name":
		if name := handleName(text(c["name"])); name != "" {
			return name
		}
		return nil
	case "handle":
		parts := [][]byte{}
		for _, part := range c["parts"].([]any) {
			parts = append(parts, unhex(text(part)))
		}
		return handleID(byte(c["sort"].(int64)), parts...)
	}
	return messageCase(c)
}

func orderCase(c row) any {
	list := []*standing{}
	for _, each := range c["handles"].([]any) {
		h := each.([]any)
		list = append(list, &standing{handle: text(h[0]), graded: h[1].(int64), sum: h[2].(int64)})
	}
	shrink := c["shrink"].(int64)
	sort.Slice(list, func(i, j int) bool { return before(list[i], list[j], shrink) })
	out := []any{}
	for _, s := range list {
		out = append(out, []any{s.handle, s.skill(shrink)})
	}
	return out
}

func numberCase(c row) any {
	top, values := []seat{}, map[string]*big.Int{}
	for _, each := range c["top"].([]any) {
		top = append(top, seat{text(each.([]any)[0]), each.([]any)[1].(int64)})
	}
	for handle, value := range c["values"].(row) {
		values[handle] = whole(value)
	}
	number, n := arenaNumber(top, values)
	if number == nil {
		return []any{nil, n}
	}
	return []any{number.String(), n}
}

func messageCase(c row) any {
	log, value, salt := unhex(text(c["log"])), whole(c["value"]), unhex(text(c["salt"]))
	f := parsedLoosely(c["forecast"].(row))
	round := sha([]byte(f.round))
	signed := ""
	if f.counter > 0 {
		signed = hexHash(f.signedMessage(log))
	}
	return row{
		"sealed":     hex.EncodeToString(sealedTo(log, round, f.handle, value)),
		"commitment": hex.EncodeToString(committed(log, round, f.handle, salt, value)),
		"signed":     signed,
		"leaf":       hex.EncodeToString(tagged("assay/forecast/v1", canonical(c["forecast"]))),
	}
}

// parsedLoosely reads a forecast that need not be one that a log would take.
func parsedLoosely(m row) forecastBody {
	f := forecastBody{round: text(m["round"]), handle: unhex(text(m["handle"])), nonce: unhex(text(m["nonce"]))}
	f.sealed, f.commitment = node{"", m["sealed"]}.orHex(160), node{"", m["commitment"]}.orHex(32)
	if counter, is := m["counter"].(int64); is {
		f.counter = counter
	}
	return f
}

// whole holds every entry of a log to the ones before it, and the standings to those that are given.
func (v *vectors) whole(name string, log row, standings any) {
	blobs := map[string][]byte{}
	for _, each := range log["openings"].(row) {
		blobs[hexHash([]byte(text(each)))] = []byte(text(each))
	}
	r := newRecord(func(hash string) []byte { return blobs[hash] })
	var last *entry
	for i, each := range log["entries"].([]any) {
		v.taken(fmt.Sprint("entry ", i, " of ", name), func() {
			e := parseEntry(chained(each.(row), last))
			chain(last, e)
			r.take(e)
			last = &e
		})
	}
	v.taken("the end of "+name, r.end)
	v.is("the log of "+name, r.id(), log["log"])
	if standings != nil {
		v.is("the standings of "+name, string(canonical(r.arena.table())), string(canonical(standings)))
	}
}

// chained gives the bytes of an entry of the example, whose rows leave out what chains it to the one before.
func chained(e row, last *entry) []byte {
	prev := fmt.Sprintf("%064d", 0)
	if last != nil {
		prev = last.leafHex()
	}
	return canonical(row{"v": 1, "seq": e["seq"], "prev": prev, "at": e["at"], "kind": e["kind"], "body": e["body"]})
}

func (v *vectors) timelock() {
	chains := map[string]drandChain{}
	for _, r := range v.rows("timelock/chains") {
		v.taken("chain "+text(r["name"]), func() { chains[text(r["name"])] = parseChain(node{"chain", r["chain"]}) })
	}
	for _, r := range v.rows("timelock/refused-chains") {
		v.refused("chain "+text(r["name"]), r["at"], func() { parseChain(node{"chain", r["chain"]}) })
	}
	for _, r := range v.rows("timelock/rounds") {
		round := chains[text(r["chain"])].roundAt(r["seconds"].(int64))
		v.is("round", []any{round, chains[text(r["chain"])].timeOf(round)}, []any{r["round"], r["published"]})
	}
	for _, r := range v.rows("timelock/refused-rounds") {
		v.refused(fmt.Sprint("round ", r), nil, func() { refusedRound(chains[text(r["chain"])], r) })
	}
	signatures := map[string][]byte{}
	for _, r := range v.rows("timelock/signatures") {
		signature, round := unhex(text(r["signature"])), r["round"].(int64)
		signatures[fmt.Sprint(r["chain"], round)] = signature
		v.is("signature", chains[text(r["chain"])].signedRound(round, signature), true)
	}
	for _, r := range v.rows("timelock/refused-signatures") {
		got := chains[text(r["chain"])].signedRound(r["round"].(int64), unhex(text(r["signature"])))
		v.is("signature "+text(r["name"]), got, false)
	}
	for _, r := range v.rows("timelock/sealed") {
		round, sealed := r["round"].(int64), unhex(text(r["sealed"]))
		made := chains[text(r["chain"])].seal(round, unhex(text(r["message"])), unhex(text(r["sigma"])))
		v.is("sealed "+text(r["name"]), hex.EncodeToString(made), r["sealed"])
		opened := openSealed(signatures[fmt.Sprint(r["chain"], round)], sealed)
		v.is("opened "+text(r["name"]), hex.EncodeToString(opened), r["message"])
	}
	for _, r := range v.rows("timelock/refused-sealed") {
		v.is("opened "+text(r["name"]), openSealed(unhex(text(r["signature"])), unhex(text(r["sealed"]))) == nil, true)
	}
}

func refusedRound(c drandChain, r row) {
	if seconds, is := r["seconds"]; is {
		n, whole := seconds.(int64)
		if !whole {
			refuse("", "no integer")
		}
		c.roundAt(n)
		return
	}
	n, whole := r["round"].(int64)
	if !whole {
		refuse("", "no integer")
	}
	c.timeOf(n)
}
