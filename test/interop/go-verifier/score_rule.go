package main

// The score rule (docs/spec/score.md).

type part struct{ weight, from, to int64 }

type scoreRule struct {
	hash, class string
	version     int64
	// study is the version of the class's studies.
	study int64

	long, short, tolerance, sample, window, minSamples int64
	numerator, denominator, floorLong, floorShort      int64
	day, days, minDays                                 int64
	partLong, partVolume, partShort                    part
	open, close, consecutive, max, silent, rearm       int64

	voidAfter, benchmarkTolerance int64
	benchmark                     string
	receipts                      any
}

const million = 1_000_000

func parseScoreRule(n node) scoreRule {
	members := []string{"type", "class", "version", "grid", "sources", "returns", "scale", "volume", "parts", "event", "receipts"}
	if is, _ := n.v.(map[string]any); is["type"] == "assay-score-rule/2" {
		members = append(members, "study")
	}
	m := n.object(members...)
	m["type"].oneOf("assay-score-rule/1", "assay-score-rule/2")
	r := scoreRule{receipts: m["receipts"].v, study: 1}
	if study, there := m["study"]; there {
		r.study = study.integer(2, 2)
	}
	r.class = m["class"].oneOf("crypto", "stock")
	r.version = m["version"].integer(1, million)
	m["grid"].oneOf(map[string]string{"crypto": "utc_15m", "stock": "xnys_15m"}[r.class])
	s := m["sources"].object("required", "max_age_s", "max_apart_bp")
	s["required"].integer(1, 2)
	s["max_age_s"].integer(0, 31622400)
	s["max_apart_bp"].integer(0, 10000)
	r.parseWindows(m["returns"], m["volume"])
	r.parseParts(m["scale"], m["parts"])
	r.parseEvent(m["event"], m["receipts"])
	r.hash = hexHash(canonical(n.v))
	return r
}

func (r *scoreRule) parseWindows(returns, volume node) {
	m := returns.object("long", "short", "tolerance", "sample", "window", "min_samples")
	r.long = m["long"].integer(1, 100000)
	r.short = m["short"].integer(1, 100000)
	if r.short > r.long {
		refuse(m["short"].at, "longer than the long one")
	}
	r.tolerance = m["tolerance"].integer(0, 96)
	if r.tolerance >= r.short {
		refuse(m["tolerance"].at, "not below the short return")
	}
	r.sample = m["sample"].integer(1, 100000)
	r.window = m["window"].integer(1, 100000)
	r.minSamples = m["min_samples"].integer(1, 100000)
	if r.minSamples*r.sample > r.window {
		refuse(m["min_samples"].at, "more than the window holds")
	}
	v := volume.object("day", "days", "min_days")
	r.day = v["day"].integer(1, 100000)
	r.days = v["days"].integer(1, 366)
	r.minDays = v["min_days"].integer(1, r.days)
	if r.day*r.days > 100000 {
		refuse(v["days"].at, "beyond what is kept")
	}
}

func (r *scoreRule) parseParts(scale, parts node) {
	m := scale.object("numerator", "denominator", "floor_long", "floor_short")
	r.numerator = m["numerator"].integer(1, million)
	r.denominator = m["denominator"].integer(1, million)
	r.floorLong = m["floor_long"].integer(1, million)
	r.floorShort = m["floor_short"].integer(1, million)
	p := parts.object("long", "volume", "short")
	r.partLong, r.partVolume, r.partShort = parsePart(p["long"]), parsePart(p["volume"]), parsePart(p["short"])
	for _, each := range []part{r.partLong, r.partVolume, r.partShort} {
		if each.from >= each.to {
			refuse(parts.at, "a part that ends before it begins")
		}
	}
	if r.partLong.weight+r.partVolume.weight+r.partShort.weight != 100 {
		refuse(parts.at, "weights that do not make 100")
	}
}

func parsePart(n node) part {
	m := n.object("weight", "from", "to")
	return part{m["weight"].integer(0, 100), m["from"].integer(0, million), m["to"].integer(1, million)}
}

func (r *scoreRule) parseEvent(event, receipts node) {
	m := event.object("open", "close", "consecutive", "max", "silent", "rearm")
	r.open = m["open"].integer(1, 100)
	r.close = m["close"].integer(0, 100)
	if r.close >= r.open {
		refuse(m["close"].at, "not below open")
	}
	r.consecutive = m["consecutive"].integer(1, 96)
	r.max = m["max"].integer(1, 100000)
	r.silent = m["silent"].integer(1, 100000)
	r.rearm = m["rearm"].integer(1, 100000)
	t := receipts.object("void_after_s", "benchmark", "benchmark_tolerance_s")
	r.voidAfter = t["void_after_s"].integer(0, 31622400)
	r.benchmark = t["benchmark"].match(symbolForm)
	r.benchmarkTolerance = t["benchmark_tolerance_s"].integer(0, day)
}
