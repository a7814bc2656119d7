package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/big"
	"regexp"
	"time"
)

const day = 86400

var (
	symbolForm   = regexp.MustCompile(`^[A-Z0-9]{1,16}$`)
	tickerForm   = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,15}$`)
	integerForm  = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,18})$`)
	decimalForm  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	providerForm = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)
	uuid8Form    = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	errForm      = errors.New("not of that form")
)

// parseTime reads YYYY-MM-DDTHH:MM:SSZ as unix seconds.
func parseTime(s string) (int64, error) {
	t, err := time.Parse("2006-01-02T15:04:05Z", s)
	if err != nil || len(s) != 20 || t.Year() < 1 || formatTime(t.Unix()) != s {
		return 0, errForm
	}
	return t.Unix(), nil
}

func formatTime(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format("2006-01-02T15:04:05Z")
}

// parseDate reads YYYY-MM-DD as a day number.
func parseDate(s string) (int64, error) {
	seconds, err := parseTime(s + "T00:00:00Z")
	return seconds / day, err
}

func formatDate(number int64) string { return formatTime(number * day)[:10] }

// scaled is i64 text: a signed integer within 64 bits.
func (n node) scaled() *big.Int {
	text := n.match(integerForm)
	value, _ := new(big.Int).SetString(text, 10)
	if !value.IsInt64() {
		refuse(n.at, "beyond 64 bits")
	}
	return value
}

func tagged(tag string, parts ...[]byte) []byte {
	hash := sha256.New()
	hash.Write([]byte(tag))
	hash.Write([]byte{0})
	for _, part := range parts {
		hash.Write(part)
	}
	return hash.Sum(nil)
}

func sha(data []byte) []byte {
	digest := sha256.Sum256(data)
	return digest[:]
}

func hexHash(data []byte) string { return hex.EncodeToString(sha(data)) }

func unhex(s string) []byte {
	raw, err := hex.DecodeString(s)
	if err != nil {
		refuse("", "no hex: %s", s)
	}
	return raw
}

func le64(n int64) []byte   { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }
func be64(n int64) []byte   { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
func pad16(s string) []byte { return append([]byte(s), make([]byte, 16-len(s))...) }

// roundHalfAway is n/d as the nearest integer, of two equally near ones the one farther from 0. d is above 0.
func roundHalfAway(n, d *big.Int) *big.Int {
	twice := new(big.Int).Mul(new(big.Int).Abs(n), big.NewInt(2))
	q := twice.Add(twice, d).Quo(twice, new(big.Int).Mul(d, big.NewInt(2)))
	if n.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

func big64(n int64) *big.Int { return big.NewInt(n) }

func product(factors ...int64) *big.Int {
	out := big64(1)
	for _, f := range factors {
		out.Mul(out, big64(f))
	}
	return out
}

// uuid8 formats the first 16 bytes of a digest as a UUID of version 8.
func uuid8(digest []byte) string {
	b := append([]byte{}, digest[:16]...)
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
