package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Signed notes, verifier keys and checkpoints (docs/spec/tree.md, docs/spec/witness.md).

const (
	kindLog     = 1
	kindWitness = 4
)

type noteKey struct {
	name string
	id   []byte
	kind byte
	key  []byte
}

var noteKeyForm = regexp.MustCompile(`^([^+]+)\+([0-9a-f]{8})\+(.+)$`)

func base64Of(text string) []byte {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(raw) != text {
		refuse("", "no base64")
	}
	return raw
}

func goodName(name string) bool {
	for _, r := range name {
		if r == '+' || unicode.IsSpace(r) || unicode.IsControl(r) {
			return false
		}
	}
	return name != ""
}

func parseNoteKey(text string) noteKey {
	parts := noteKeyForm.FindStringSubmatch(text)
	if parts == nil || !goodName(parts[1]) {
		refuse("", "no verifier key")
	}
	raw := base64Of(parts[3])
	if len(raw) != 33 {
		refuse("", "no key of 32 bytes")
	}
	id := sha(append([]byte(parts[1]+"\n"), raw...))[:4]
	if hex.EncodeToString(id) != parts[2] {
		refuse("", "another key id")
	}
	return noteKey{parts[1], id, raw[0], raw[1:]}
}

// logKey reads a verifier key of a log; that of a witness is none.
func logKey(text string) noteKey {
	key := parseNoteKey(text)
	if key.kind != kindLog {
		refuse("", "not the key of a log")
	}
	return key
}

type noteLine struct {
	name string
	raw  []byte
}

type note struct {
	text  string
	lines []noteLine
}

func parseNote(raw []byte) note {
	if len(raw) > 65536 || firstBadUTF8(raw) >= 0 {
		refuse("", "a note of too many bytes, or of no UTF-8")
	}
	for _, b := range raw {
		if (b < 0x20 && b != '\n') || b == 0x7f {
			refuse("", "a control character in a note")
		}
	}
	split := bytes.LastIndex(raw, []byte("\n\n"))
	if split < 0 || raw[len(raw)-1] != '\n' {
		refuse("", "a note without signatures")
	}
	out := note{text: string(raw[:split+1])}
	rest := strings.Split(strings.TrimSuffix(string(raw[split+2:]), "\n"), "\n")
	if len(rest) > 64 {
		refuse("", "more than 64 lines")
	}
	for _, line := range rest {
		words := strings.Split(line, " ")
		if len(words) != 3 || words[0] != "\u2014" || !goodName(words[1]) {
			refuse("", "no line of a signature")
		}
		signature := base64Of(words[2])
		if len(signature) < 5 {
			refuse("", "a line without a signature")
		}
		out.lines = append(out.lines, noteLine{words[1], signature})
	}
	return out
}

// signedByLog says whether the note has a good line of the log's key.
func (n note) signedByLog(key noteKey) bool {
	for _, line := range n.lines {
		if key.kind == kindLog && line.name == key.name && bytes.Equal(line.raw[:4], key.id) &&
			verifies(key.key, []byte(n.text), line.raw[4:]) {
			return true
		}
	}
	return false
}

// witnessedBefore says whether the note has a good line of the witness with a time before that one.
func (n note) witnessedBefore(key noteKey, before int64) bool {
	for _, line := range n.lines {
		if key.kind != kindWitness || line.name != key.name || len(line.raw) != 76 || !bytes.Equal(line.raw[:4], key.id) {
			continue
		}
		time := binary.BigEndian.Uint64(line.raw[4:12])
		message := "cosignature/v1\ntime " + strconv.FormatUint(time, 10) + "\n" + n.text
		if verifies(key.key, []byte(message), line.raw[12:]) && time < uint64(before) {
			return true
		}
	}
	return false
}

type checkpoint struct {
	origin string
	size   int64
	root   []byte
}

var sizeForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})$`)

func parseCheckpoint(text string) checkpoint {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" || lines[0] == "" || !sizeForm.MatchString(lines[1]) {
		refuse("", "no checkpoint")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	root := base64Of(lines[2])
	if err != nil || size > maxInteger || len(root) != 32 {
		refuse("", "no checkpoint")
	}
	return checkpoint{lines[0], size, root}
}
