package main

import "encoding/hex"

// parseBody reads the body of an entry of a kind of the Terminal.
func parseBody(kind string, body node) {
	switch kind {
	case "score-rule/1":
		parseScoreRule(node{"body.rule", body.object("rule")["rule"].v})
	case "asset/1":
		parseAsset(body)
	case "tick/1":
		parseTick(body)
	case "event/1":
		parseEvent(body)
	case "event-close/1":
		parseClose(body)
	case "receipt/1":
		parseReceipt(body)
	case "benchmark/1":
		parseBenchmark(body)
	case "split/1":
		parseSplit(body)
	case "study/1", "study/2":
		parseStudy(body)
	default:
		refuse("kind", "not one of the Terminal: %s", kind)
	}
}

func parseStudy(body node) {
	m := body.object("class", "from", "to", "rule", "blob")
	m["class"].oneOf("crypto", "stock")
	from := m["from"].integer(0, maxInteger)
	m["to"].integer(from+1, maxInteger)
	m["rule"].hash()
	m["blob"].hash()
}

// bodies are the bodies of the Terminal's entries, what is refused of them, leaves, values and rules.
func (v *vectors) bodies() {
	named := map[string]row{}
	for _, r := range v.rows("terminal/entries") {
		named[text(r["name"])] = r
		v.is("body of "+text(r["name"]), string(canonical(r["body"])), r["canonical"])
		v.taken("body of "+text(r["name"]), func() { parseBody(text(r["kind"]), node{"body", r["body"]}) })
	}
	for _, r := range v.rows("terminal/refused") {
		of := named[text(r["of"])]
		v.refused(text(r["name"]), r["at"], func() {
			parseBody(text(of["kind"]), node{"body", merged(of["body"], r["change"])})
		})
	}
	for _, r := range v.rows("tick/leaves") {
		blob := unhex(text(r["blob"]))
		v.is("leaves "+text(r["name"]), leavesRoot(blob), r["root"])
		v.is("leaves "+text(r["name"]), string(canonical(leafRows(parseLeaves(blob)))), string(canonical(r["leaves"])))
	}
	for _, r := range v.rows("tick/refused-leaves") {
		v.refused(text(r["name"]), r["at"], func() { parseLeaves(unhex(text(r["blob"]))) })
	}
	v.values()
	for _, r := range v.rows("score/rules") {
		v.is("rule "+text(r["name"]), parseScoreRule(node{"rule", r["rule"]}).hash, r["hash"])
	}
	for _, r := range v.rows("score/refused") {
		v.refused(text(r["name"]), r["at"], func() { parseScoreRule(node{"rule", r["rule"]}) })
	}
}

func leafRows(leaves []leaf) any {
	out := []any{}
	for _, each := range leaves {
		var score any
		if each.score >= 0 {
			score = each.score
		}
		out = append(out, row{"symbol": each.symbol, "ts": each.ts, "score": score, "good": each.good,
			"commitment": hex.EncodeToString(each.commitment)})
	}
	return out
}

func parseValues(n node) {
	m := n.object("type", "symbol", "ts", "price", "volume_24h", "sources")
	m["type"].oneOf("assay-tick-values/1")
	m["symbol"].match(symbolForm)
	m["ts"].terminalTime()
	m["price"].orDecimal()
	m["volume_24h"].orDecimal()
	for _, each := range m["sources"].list(0, 8) {
		s := each.object("provider", "price", "volume_24h", "stamped_at")
		s["provider"].match(providerForm)
		s["price"].orDecimal()
		s["volume_24h"].orDecimal()
		if !s["stamped_at"].null() {
			s["stamped_at"].time()
		}
	}
}

func (n node) orDecimal() {
	if !n.null() {
		n.match(decimalForm)
	}
}

func (v *vectors) values() {
	for _, r := range v.rows("tick/values") {
		name := "values " + text(r["name"])
		values := r["values"].(row)
		v.taken(name, func() { parseValues(node{"values", values}) })
		v.is(name, string(canonical(values)), r["canonical"])
		of := [][]byte{unhex(text(r["seed"])), pad16(text(values["symbol"])), le64(r["time"].(int64))}
		salt := tagged("assay/tick-salt/v1", of...)
		v.is(name, hex.EncodeToString(salt), r["salt"])
		v.is(name, hex.EncodeToString(tagged("assay/price-salt/v1", of...)), r["price_salt"])
		v.is(name, hexHash(append(salt, canonical(values)...)), r["commitment"])
	}
	for _, r := range v.rows("tick/refused-values") {
		v.refused(text(r["name"]), r["at"], func() { parseValues(node{"values", r["values"]}) })
	}
}
