package main

import (
	"sort"
	"time"
)

// The grids of ticks (docs/spec/tick.md#grid): the count of a time, and whether it is a tick at all.

const quarter = 900

func gridCount(class string, ts int64) (int64, bool) {
	if class == "crypto" {
		return ts / quarter, ts%quarter == 0
	}
	return sessions().count(ts)
}

const (
	firstYear, lastYear = 2019, 2030
	wholeDay, halfDay   = 26, 14
)

type session struct {
	open   int64 // unix seconds
	ticks  int64
	before int64 // ticks of the sessions before it
}

type calendar []session

var xnys calendar

func sessions() calendar {
	if xnys == nil {
		xnys = makeSessions()
	}
	return xnys
}

func makeSessions() calendar {
	out := calendar{}
	count := int64(0)
	for at := time.Date(firstYear, 1, 2, 0, 0, 0, 0, time.UTC); at.Year() <= lastYear; at = at.AddDate(0, 0, 1) {
		ticks := ticksOf(at)
		if ticks == 0 {
			continue
		}
		out = append(out, session{at.Unix() + newYorkBehind(at) + 34200, ticks, count})
		count += ticks
	}
	return out
}

// newYorkBehind is the seconds that New York is behind UTC on the morning of a day.
func newYorkBehind(at time.Time) int64 {
	summer := nthWeekday(at.Year(), time.March, time.Sunday, 2)
	winter := nthWeekday(at.Year(), time.November, time.Sunday, 1)
	if !at.Before(summer) && at.Before(winter) {
		return 4 * 3600
	}
	return 5 * 3600
}

func (c calendar) count(ts int64) (int64, bool) {
	i := sort.Search(len(c), func(i int) bool { return c[i].open >= ts }) - 1
	if i < 0 || ts > c[len(c)-1].open+wholeDay*quarter {
		return 0, false
	}
	place := (ts - c[i].open) / quarter
	return c[i].before + place - 1, (ts-c[i].open)%quarter == 0 && place <= c[i].ticks
}

func nthWeekday(year int, month time.Month, weekday time.Weekday, n int) time.Time {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, (int(weekday)-int(first.Weekday())+7)%7+7*(n-1))
}
