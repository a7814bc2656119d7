package main

import (
	"strconv"
	"strings"
	"time"
)

// Which version of a rule governs a period, and when its number comes out (docs/spec/rule.md). Of a rule, only what
// a round of the Arena asks of it is read.

type version struct {
	hash, period, zone string
	number, from       int64
	decimals           int64
	local, daysAfter   int64
	exceptions         map[int64]int64
	withheld           bool
	at                 int64
}

func parseVersion(e entry) (string, version) {
	rule := e.body.object("rule")["rule"]
	get := func(of node, name string) node {
		m, is := of.v.(map[string]any)
		if v, there := m[name]; is && there {
			return node{of.at + "." + name, v}
		}
		refuse(of.at, "without %s", name)
		return node{}
	}
	release := get(rule, "release")
	v := version{hash: hexHash(canonical(rule.v)), at: e.at}
	v.number = get(rule, "version").integer(1, million)
	v.from = get(rule, "applies_from").date()
	v.period = get(rule, "period").oneOf("week_ending_saturday", "utc_day", "month")
	v.decimals = get(rule, "decimals").integer(0, 18)
	v.withheld = get(get(rule, "rights"), "level").oneOf("publish", "withhold") == "withhold"
	v.zone = get(release, "zone").oneOf("UTC", "America/New_York")
	v.daysAfter = get(release, "days_after").integer(0, 62)
	hours, minutes, _ := strings.Cut(get(release, "local").text(5, 5), ":")
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	v.local = int64(h*3600 + m*60)
	v.exceptions = map[int64]int64{}
	for _, each := range get(release, "exceptions").list(0, 1000) {
		x := each.object("period", "date")
		v.exceptions[x["period"].date()] = x["date"].date()
	}
	return get(rule, "ticker").ticker(), v
}

// names says whether a date names a period of the kind.
func (v version) names(period int64) bool {
	at := time.Unix(period*day, 0).UTC()
	switch v.period {
	case "week_ending_saturday":
		return at.Weekday() == time.Saturday
	case "month":
		return at.Day() == 1
	}
	return true
}

// after is the first day after a period.
func (v version) after(period int64) int64 {
	if v.period == "month" {
		return time.Unix(period*day, 0).UTC().AddDate(0, 1, 0).Unix() / day
	}
	return period + 1
}

func (v version) release(period int64) int64 {
	on, moved := v.exceptions[period]
	if !moved {
		on = v.after(period) + v.daysAfter
	}
	wall := on*day + v.local
	if v.zone == "UTC" {
		return wall
	}
	year := time.Unix(wall, 0).UTC().Year()
	summer := nthWeekday(year, time.March, time.Sunday, 2).Unix() + 3*3600
	winter := nthWeekday(year, time.November, time.Sunday, 1).Unix() + 2*3600
	if wall >= summer && wall < winter {
		return wall + 4*3600
	}
	return wall + 5*3600
}

// governed is the version that governs a period, and the earliest release that a version in time gave it.
type governed struct {
	version  version
	earliest int64
}

func governs(versions []version, period int64) *governed {
	var out *governed
	earliest := int64(-1)
	for _, v := range versions {
		if v.from > period {
			continue
		}
		own := v.release(period)
		inTime := v.at < own && (earliest < 0 || v.at < earliest)
		if earliest < 0 || own < earliest {
			earliest = own
		}
		if !inTime {
			continue
		}
		if out == nil {
			out = &governed{v, own}
		}
		out.version, out.earliest = v, min(out.earliest, own)
	}
	return out
}

// counts says whether a rule entry is a version behind the ones before it.
func (v version) counts(before []version) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return v.number > last.number && v.from > last.from && v.period == last.period
}
