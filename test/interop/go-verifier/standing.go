package main

import (
	"fmt"
	"sort"
)

// What follows from the grades of a handle (docs/spec/arena.md#standing).

type standing struct {
	handle             string
	graded, total, sum int64 // sum of the points above those of the reference
	streak, best       int64
}

// mean is the mean of its points, in hundredths.
func (s *standing) mean() int64 { return meanOf(s.total, s.graded) }

func meanOf(total, graded int64) int64 {
	if graded == 0 {
		return 0
	}
	return roundHalfAway(product(100, total), big64(graded)).Int64()
}

// before orders handles by skill, then by their results, then by id.
func before(a, b *standing, shrink int64) bool {
	left, right := product(a.sum, b.graded+shrink), product(b.sum, a.graded+shrink)
	if a.graded+shrink == 0 || b.graded+shrink == 0 {
		left, right = big64(a.sum), big64(b.sum)
	}
	if c := left.Cmp(right); c != 0 {
		return c > 0
	}
	if a.graded != b.graded {
		return a.graded > b.graded
	}
	return a.handle < b.handle
}

func (s *standing) skill(shrink int64) string {
	if s.graded+shrink == 0 {
		return "0.0000"
	}
	return decimal(roundHalfAway(product(10000, s.sum), big64(s.graded+shrink)).Int64(), 4)
}

func decimal(scaled int64, places int) string {
	sign := ""
	if scaled < 0 {
		sign, scaled = "-", -scaled
	}
	digits := fmt.Sprintf("%0*d", places+1, scaled)
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

// standings makes those of every handle with a result, of the parts of grades in the log so far.
func (a *arena) standings(shrink int64) map[string]*standing {
	out := map[string]*standing{}
	for _, part := range a.graded {
		for _, each := range part.results {
			s := out[each.handle]
			if s == nil {
				s = &standing{handle: each.handle}
				out[each.handle] = s
			}
			s.add(each.points, part.round.grade.refPoints, part.round.rule.arena.streak)
		}
	}
	return out
}

func (s *standing) add(points, reference, streakFrom int64) {
	s.graded++
	s.total += points
	s.sum += points - reference
	s.streak++
	if points < streakFrom {
		s.streak = 0
	}
	s.best = max(s.best, s.streak)
}

// table lists the standings, the ranked handles first.
func (a *arena) table() []any {
	out := []any{}
	if a.rule == nil || a.rule.arena == nil {
		return out
	}
	rule := a.rule.arena
	list := []*standing{}
	for _, s := range a.standings(rule.shrink) {
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool {
		if one, two := list[i].graded >= rule.rankedFrom, list[j].graded >= rule.rankedFrom; one != two {
			return one
		}
		return before(list[i], list[j], rule.shrink)
	})
	for _, s := range list {
		out = append(out, map[string]any{"handle": s.handle, "graded": s.graded, "total_points": s.total,
			"mean_points": decimal(s.mean(), 2), "streak": s.streak, "best_streak": s.best,
			"ranked": s.graded >= rule.rankedFrom, "skill": s.skill(rule.shrink), "secured_by": a.securedBy(s.handle)})
	}
	return out
}

func (a *arena) securedBy(id string) string {
	switch h := a.handles[id]; {
	case h == nil:
		return "house"
	case h.key != nil:
		return "key"
	}
	return "secret"
}
