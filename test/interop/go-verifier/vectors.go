package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The vectors, each file recomputed or refused as docs/spec/vectors.md says.

type vectors struct {
	folder   string
	compared int
	differ   []string
}

type row = map[string]any

func checkVectors(folder string) (int, []string) {
	v := &vectors{folder: folder}
	v.wire()
	v.bodies()
	v.terminal()
	v.logs()
	v.promises()
	v.arena()
	v.timelock()
	return v.compared, v.differ
}

// load reads a file of vectors, which is JSON of any form; numbers that are no integers of 53 bits stay json.Number.
func (v *vectors) load(name string) any {
	raw, err := os.ReadFile(filepath.Join(v.folder, filepath.FromSlash(name)+".json"))
	if err != nil {
		panic(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		panic(err)
	}
	return plain(out)
}

func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil && n <= maxInteger && n >= -maxInteger {
			return n
		}
	case []any:
		for i, each := range v {
			v[i] = plain(each)
		}
	case row:
		for key, each := range v {
			v[key] = plain(each)
		}
	}
	return v
}

func (v *vectors) rows(name string) []row {
	out := []row{}
	for _, each := range v.load(name).([]any) {
		out = append(out, each.(row))
	}
	return out
}

// is holds one result to the one that a row gives.
func (v *vectors) is(what string, got, want any) {
	v.compared++
	if fmt.Sprint(got) != fmt.Sprint(want) {
		v.differ = append(v.differ, fmt.Sprintf("%s: %v, and not %v", what, got, want))
	}
}

// refused holds a refusal to its place; a nil place is not compared.
func (v *vectors) refused(what string, at any, run func()) {
	refused := attempt(run)
	switch {
	case refused == nil:
		v.is(what, "taken", "refused")
	case at == nil:
		v.is(what, "refused", "refused")
	default:
		v.is(what, refused.at, at)
	}
}

// taken holds that something is read without a refusal.
func (v *vectors) taken(what string, run func()) {
	refused := attempt(run)
	v.is(what, refused == nil, true)
	if refused != nil {
		v.differ = append(v.differ, "  "+refused.Error())
	}
}

func merged(base, change any) row {
	out := row{}
	for key, each := range base.(row) {
		out[key] = each
	}
	for key, each := range change.(row) {
		out[key] = each
	}
	return out
}

func text(v any) string { return v.(string) }

func bytesOf(r row) []byte {
	if h, is := r["hex"].(string); is {
		return unhex(h)
	}
	return []byte(text(r["text"]))
}

// wire is what everything rests on: canonical JSON, entries, the tree, notes, signatures.
func (v *vectors) wire() {
	for _, r := range v.rows("wire/accepted") {
		v.is("wire "+text(r["name"]), string(canonical(parseCanonical([]byte(text(r["text"]))))), r["text"])
	}
	for _, r := range v.rows("wire/refused") {
		v.refused("wire "+text(r["name"]), r["at"], func() { parseCanonical(bytesOf(r)) })
	}
	var last *entry
	tree := newFrontier()
	for _, r := range v.rows("entry/entries") {
		raw := canonical(r["entry"])
		v.is("entry", string(raw), r["bytes"])
		e := parseEntry(raw)
		chain(last, e)
		v.is("leaf", e.leafHex(), r["leaf"])
		tree.add(e.leaf)
		last = &e
	}
	for _, r := range v.rows("entry/refused") {
		v.refused("entry "+text(r["name"]), nil, func() { parseEntry([]byte(text(r["text"]))) })
	}
	signed := v.load("checkpoint/signed").(row)
	read := parseNote([]byte(text(signed["note"])))
	head := parseCheckpoint(read.text)
	v.is("checkpoint", []any{head.origin, head.size, read.signedByLog(parseNoteKey(text(signed["vkey"])))},
		[]any{signed["origin"], signed["size"], true})
	v.is("root of the entries", hex.EncodeToString(tree.roots[head.size]), hex.EncodeToString(head.root))
	for _, r := range v.rows("ed25519/profile") {
		got := verifies(unhex(text(r["public_key"])), unhex(text(r["message"])), unhex(text(r["signature"])))
		v.is("ed25519 "+text(r["name"]), got, r["accepted"])
	}
	v.notes()
}

func (v *vectors) notes() {
	keys := v.load("note/keys").(row)
	for _, r := range keys["accepted"].([]any) {
		v.taken(fmt.Sprint("note key ", r), func() { parseNoteKey(text(r.(row)["vkey"])) })
	}
	for _, r := range keys["refused"].([]any) {
		v.refused(fmt.Sprint("note key ", r), nil, func() { logKey(text(r.(row)["vkey"])) })
	}
	for _, r := range v.rows("note/refused") {
		v.refused("note "+text(r["name"]), nil, func() { parseNote(bytesOf(r)) })
	}
	for _, r := range v.rows("cosignature/signed") {
		read := parseNote([]byte(text(r["note"])))
		v.is("cosignature", read.witnessedBefore(parseNoteKey(text(r["vkey"])), maxInteger), true)
	}
	points := v.load("checkpoint/checkpoints").(row)
	for _, r := range points["accepted"].([]any) {
		head := parseCheckpoint(text(r.(row)["text"]))
		v.is("checkpoint", []any{head.origin, head.size}, []any{r.(row)["origin"], r.(row)["size"]})
	}
	for _, r := range points["refused"].([]any) {
		v.refused(fmt.Sprint("checkpoint ", r), nil, func() { parseCheckpoint(refusedText(r)) })
	}
}

func refusedText(r any) string {
	if s, is := r.(string); is {
		return s
	}
	return text(r.(row)["text"])
}
