package main

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"unicode/utf8"
)

// Canonical JSON (docs/spec/canonical-json.md). A value is nil, bool, string, int64, []any or map[string]any.

const (
	maxInteger    = 1<<53 - 1
	maxDepth      = 16
	maxContainers = 4_000_000
)

type parser struct {
	in         []byte
	at         int
	containers int
}

// parseCanonical reads bytes that are exactly the canonical form of what they say; it panics with a refusal at "byte N".
func parseCanonical(in []byte) any {
	if at := firstBadUTF8(in); at >= 0 {
		refuse("", "bad UTF-8 at byte %d", at)
	}
	p := &parser{in: in}
	v := p.value(0)
	if p.at != len(in) {
		p.fail("more behind the value")
	}
	return v
}

func firstBadUTF8(in []byte) int {
	for at := 0; at < len(in); {
		r, size := utf8.DecodeRune(in[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func (p *parser) fail(why string) { refuse(fmt.Sprintf("byte %d", p.at), "%s", why) }

func (p *parser) peek() byte {
	if p.at >= len(p.in) {
		p.fail("the end")
	}
	return p.in[p.at]
}

func (p *parser) take(word string) {
	for i := 0; i < len(word); i++ {
		if p.peek() != word[i] {
			p.fail("not " + word)
		}
		p.at++
	}
}

func (p *parser) value(depth int) any {
	switch c := p.peek(); {
	case c == 'n':
		p.take("null")
		return nil
	case c == 't':
		p.take("true")
		return true
	case c == 'f':
		p.take("false")
		return false
	case c == '"':
		return p.text()
	case c == '[':
		p.open(depth)
		return p.array(depth + 1)
	case c == '{':
		p.open(depth)
		return p.object(depth + 1)
	}
	return p.integer()
}

func (p *parser) open(depth int) {
	p.containers++
	if depth >= maxDepth || p.containers > maxContainers {
		p.fail("too deep, or too much")
	}
}

func (p *parser) array(depth int) any {
	list := []any{}
	p.take("[")
	for p.peek() != ']' {
		if len(list) > 0 {
			p.take(",")
		}
		list = append(list, p.value(depth))
	}
	p.at++
	return list
}

func (p *parser) object(depth int) any {
	members := map[string]any{}
	last := ""
	p.take("{")
	for p.peek() != '}' {
		if len(members) > 0 {
			p.take(",")
		}
		from := p.at
		key := p.text()
		if (len(members) > 0 && key <= last) || !printableKey(key) {
			p.at = from + 1
			p.fail("a key out of order, twice, or with another character")
		}
		last = key
		p.take(":")
		members[key] = p.value(depth)
	}
	p.at++
	return members
}

func printableKey(key string) bool {
	for _, r := range key {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' {
			return false
		}
	}
	return true
}

func (p *parser) integer() any {
	from := p.at
	for p.at < len(p.in) && (p.in[p.at] == '-' || (p.in[p.at] >= '0' && p.in[p.at] <= '9')) {
		p.at++
	}
	digits := string(p.in[from:p.at])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != digits || n > maxInteger || n < -maxInteger || p.fractional() {
		p.at = from
		p.fail("no canonical integer")
	}
	return n
}

// fractional says whether a number goes on behind its digits.
func (p *parser) fractional() bool {
	return p.at < len(p.in) && bytes.IndexByte([]byte(".eE"), p.in[p.at]) >= 0
}

// text reads a string; a refusal is at the first character that is not in its canonical form.
func (p *parser) text() string {
	p.take(`"`)
	out := []byte{}
	for p.peek() != '"' {
		c := p.in[p.at]
		switch {
		case c == '\\':
			out = append(out, p.escape())
		case c < 0x20:
			p.fail("a control character")
		default:
			out = append(out, c)
			p.at++
		}
	}
	p.at++
	return string(out)
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', 'b': 8, 't': 9, 'n': 10, 'f': 12, 'r': 13}

// escape reads one that canonical JSON writes.
func (p *parser) escape() byte {
	rest := p.in[p.at+1:]
	if len(rest) > 0 {
		if c, short := escapes[rest[0]]; short {
			p.at += 2
			return c
		}
	}
	for c := byte(0); c < 0x20; c++ {
		if form := fmt.Sprintf("u%04x", c); bytes.HasPrefix(rest, []byte(form)) && shorts[c] == 0 {
			p.at += 1 + len(form)
			return c
		}
	}
	p.fail("no canonical escape")
	return 0
}

var shorts = map[byte]byte{8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r'}

func appendText(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= 0x20:
			out = append(out, c)
		default:
			if short := shorts[c]; short != 0 {
				out = append(out, '\\', short)
			} else {
				out = append(out, fmt.Sprintf("\\u%04x", c)...)
			}
		}
	}
	return append(out, '"')
}

// canonical writes a value.
func canonical(v any) []byte { return appendValue(nil, v) }

func appendValue(out []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, v)
	case int64:
		return strconv.AppendInt(out, v, 10)
	case int:
		return strconv.AppendInt(out, int64(v), 10)
	case string:
		return appendText(out, v)
	case []any:
		out = append(out, '[')
		for i, each := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, each)
		}
		return append(out, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		out = append(out, '{')
		for i, key := range keys {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendText(out, key), ':')
			out = appendValue(out, v[key])
		}
		return append(out, '}')
	}
	refuse("", "a value that canonical JSON has not: %T", v)
	return nil
}
