package main

import "time"

// Which days the New York Stock Exchange has a session, and how long: by the rules that the exchange states for its
// holidays, so that the table of the page is held to another source.

// ticksOf is how many ticks a day has: 26, 14 of one that closes at 13:00, or none.
func ticksOf(at time.Time) int64 {
	weekday := at.Weekday()
	if weekday == time.Saturday || weekday == time.Sunday || closed(at) {
		return 0
	}
	thanksgiving := nthWeekday(at.Year(), time.November, time.Thursday, 4)
	early := at.Equal(thanksgiving.AddDate(0, 0, 1)) ||
		(at.Month() == time.December && at.Day() == 24) ||
		(at.Month() == time.July && at.Day() == 3)
	if early {
		return halfDay
	}
	return wholeDay
}

func closed(at time.Time) bool {
	year := at.Year()
	for _, each := range []time.Time{
		nthWeekday(year, time.January, time.Monday, 3),
		nthWeekday(year, time.February, time.Monday, 3),
		easter(year).AddDate(0, 0, -2),
		lastMonday(year, time.May),
		observed(year, time.July, 4),
		nthWeekday(year, time.September, time.Monday, 1),
		nthWeekday(year, time.November, time.Thursday, 4),
		observed(year, time.December, 25),
		date(2025, time.January, 9),
	} {
		if at.Equal(each) {
			return true
		}
	}
	newYear := date(year, time.January, 1)
	if newYear.Weekday() == time.Sunday {
		newYear = newYear.AddDate(0, 0, 1)
	}
	return at.Equal(newYear) || (year >= 2022 && at.Equal(observed(year, time.June, 19)))
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// observed is the weekday on which a holiday is kept: Friday for a Saturday, Monday for a Sunday.
func observed(year int, month time.Month, on int) time.Time {
	at := date(year, month, on)
	switch at.Weekday() {
	case time.Saturday:
		return at.AddDate(0, 0, -1)
	case time.Sunday:
		return at.AddDate(0, 0, 1)
	}
	return at
}

func lastMonday(year int, month time.Month) time.Time {
	last := date(year, month+1, 1).AddDate(0, 0, -1)
	return last.AddDate(0, 0, -(int(last.Weekday())+6)%7)
}

// easter is Easter Sunday of the Gregorian calendar (the anonymous algorithm that Meeus gives).
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	return date(year, time.Month((h+l-7*m+114)/31), (h+l-7*m+114)%31+1)
}
