package main

import (
	"math/big"
	"sort"
)

// The Activity score (docs/spec/score.md#formula), of readings of good ticks.

type reading struct {
	count  int64
	price  int64
	volume int64 // -1 for none
}

type split struct {
	count                  int64 // of the first tick at which it is in force
	numerator, denominator int64
}

type scored struct{ score, move, volMult, zLong, zShort *int64 }

type series struct {
	rule    scoreRule
	splits  []split
	byCount map[int64]reading
}

// begin is where the return over w begins at count i; none where no tick may begin it.
func (r *scoreRule) begin(good func(int64) bool, i, w int64) (int64, bool) {
	for k := int64(0); k <= r.tolerance; k++ {
		if good(i - w - k) {
			return i - w - k, true
		}
	}
	for k := int64(1); k <= r.tolerance; k++ {
		if good(i - w + k) {
			return i - w + k, true
		}
	}
	return 0, false
}

func (s *series) good(i int64) bool {
	_, is := s.byCount[i]
	return is
}

// ratio is p / p0 - 1 as a fraction, splits between the two included.
func (s *series) ratio(i, from int64) (n, d *big.Int) {
	p, p0 := big64(s.byCount[i].price), big64(s.byCount[from].price)
	for _, each := range s.splits {
		if each.count > from && each.count <= i {
			p.Mul(p, big64(each.numerator))
			p0.Mul(p0, big64(each.denominator))
		}
	}
	return p.Sub(p, p0), p0
}

func (s *series) returns(i, w, unit, most int64) *int64 {
	from, is := s.rule.begin(s.good, i, w)
	if !is {
		return nil
	}
	n, d := s.ratio(i, from)
	return atMost(roundHalfAway(n.Mul(n, big64(unit)), d), most)
}

func atMost(n *big.Int, most int64) *int64 {
	if n.Cmp(big64(most)) > 0 {
		return &most
	}
	out := n.Int64()
	return &out
}

const ppm, mostPpm = 1_000_000, 2_000_000_000

func (s *series) z(i, w, floor int64) *int64 {
	r := s.returns(i, w, ppm, mostPpm)
	samples := []int64{}
	for j := i - s.rule.window; j < i; j++ {
		if j%s.rule.sample == 0 && s.good(j) {
			if each := s.returns(j, w, ppm, mostPpm); each != nil {
				samples = append(samples, *each)
			}
		}
	}
	if r == nil || int64(len(samples)) < s.rule.minSamples {
		return nil
	}
	med := median(samples)
	for k, x := range samples {
		samples[k] = max(x-med, med-x)
	}
	scale := roundHalfAway(product(median(samples), s.rule.numerator), big64(s.rule.denominator))
	if scale.Cmp(big64(floor)) < 0 {
		scale = big64(floor)
	}
	return atMost(roundHalfAway(product(1000, max(*r-med, med-*r)), scale), maxInteger)
}

func median(of []int64) int64 {
	list := append([]int64{}, of...)
	sort.Slice(list, func(a, b int) bool { return list[a] < list[b] })
	middle := len(list) / 2
	if len(list)%2 == 1 {
		return list[middle]
	}
	return roundHalfAway(big64(list[middle-1]+list[middle]), big64(2)).Int64()
}

func (s *series) volMult(i int64) *int64 {
	n, sum := int64(0), new(big.Int)
	for k := int64(1); k <= s.rule.days; k++ {
		if each, is := s.byCount[i-k*s.rule.day]; is && each.volume >= 0 {
			n++
			sum.Add(sum, big64(each.volume))
		}
	}
	if n < s.rule.minDays || sum.Sign() == 0 || s.byCount[i].volume < 0 {
		return nil
	}
	return atMost(roundHalfAway(product(100, s.byCount[i].volume, n), sum), maxInteger)
}

func (s *series) at(i int64) scored {
	out := scored{
		move:    s.returns(i, s.rule.long, 10000, maxInteger),
		volMult: s.volMult(i),
		zLong:   s.z(i, s.rule.long, s.rule.floorLong),
		zShort:  s.z(i, s.rule.short, s.rule.floorShort),
	}
	if out.zLong != nil && out.volMult != nil && out.zShort != nil {
		sum := new(big.Rat).Add(s.rule.partLong.points(*out.zLong), s.rule.partVolume.points(*out.volMult))
		sum.Add(sum, s.rule.partShort.points(*out.zShort))
		score := roundHalfAway(sum.Num(), sum.Denom()).Int64()
		out.score = &score
	}
	return out
}

func (p part) points(x int64) *big.Rat {
	return big.NewRat(p.weight*min(max(x-p.from, 0), p.to-p.from), p.to-p.from)
}
