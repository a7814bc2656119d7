package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"unicode/utf16"
)

// refusal is why something is not taken, and where: the path of a member, or "byte N".
type refusal struct{ at, why string }

func (r refusal) Error() string {
	if r.at == "" {
		return r.why
	}
	return r.at + ": " + r.why
}

func refuse(at, why string, args ...any) { panic(refusal{at, fmt.Sprintf(why, args...)}) }

// attempt runs a function that refuses by panicking, and gives the refusal.
func attempt(run func()) (refused *refusal) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			refused = &r
		default:
			panic(r)
		}
	}()
	run()
	return nil
}

// node is a member of an object under a closed schema, with its path.
type node struct {
	at string
	v  any
}

// object gives the members, of which each must be there and no other.
func (n node) object(members ...string) map[string]node {
	is, ok := n.v.(map[string]any)
	if !ok {
		refuse(n.at, "no object")
	}
	out := map[string]node{}
	for _, name := range members {
		v, there := is[name]
		if !there {
			refuse(n.at, "without %s", name)
		}
		out[name] = node{n.at + "." + name, v}
	}
	if len(is) != len(members) {
		refuse(n.at, "a member too many")
	}
	return out
}

func (n node) list(low, high int) []node {
	is, ok := n.v.([]any)
	if !ok || len(is) < low || len(is) > high {
		refuse(n.at, "no list of %d..%d", low, high)
	}
	out := make([]node, len(is))
	for i, v := range is {
		out[i] = node{fmt.Sprintf("%s[%d]", n.at, i), v}
	}
	return out
}

func (n node) null() bool { return n.v == nil }

func (n node) integer(low, high int64) int64 {
	is, ok := n.v.(int64)
	if !ok || is < low || is > high {
		refuse(n.at, "no integer %d..%d", low, high)
	}
	return is
}

func (n node) boolean() bool {
	is, ok := n.v.(bool)
	if !ok {
		refuse(n.at, "no boolean")
	}
	return is
}

// text is a string of low to high UTF-16 code units.
func (n node) text(low, high int) string {
	is, ok := n.v.(string)
	if units := len(utf16.Encode([]rune(is))); !ok || units < low || units > high {
		refuse(n.at, "no text of %d..%d", low, high)
	}
	return is
}

func (n node) match(re *regexp.Regexp) string {
	is, ok := n.v.(string)
	if !ok || !re.MatchString(is) {
		refuse(n.at, "not of the form %s", re)
	}
	return is
}

func (n node) oneOf(words ...string) string {
	is, ok := n.v.(string)
	for _, word := range words {
		if ok && is == word {
			return is
		}
	}
	refuse(n.at, "none of %v", words)
	return ""
}

func (n node) hex(length int) []byte {
	is, ok := n.v.(string)
	raw, err := hex.DecodeString(is)
	if !ok || err != nil || len(raw) != length || hex.EncodeToString(raw) != is {
		refuse(n.at, "no hex of %d bytes", length)
	}
	return raw
}

func (n node) hash() string { return hex.EncodeToString(n.hex(32)) }

func (n node) time() int64 {
	is, ok := n.v.(string)
	seconds, err := parseTime(is)
	if !ok || err != nil {
		refuse(n.at, "no time")
	}
	return seconds
}

func (n node) date() int64 {
	is, ok := n.v.(string)
	day, err := parseDate(is)
	if !ok || err != nil {
		refuse(n.at, "no date")
	}
	return day
}

func same(a, b any) bool { return bytes.Equal(canonical(a), canonical(b)) }
