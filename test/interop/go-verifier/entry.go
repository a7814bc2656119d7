package main

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// One record of the log (docs/spec/entry.md).

const maxEntry = 65535

var kinds = strings.Fields("genesis rule report revision cosign dissent cosigners close anchor beacon print statement " +
	"index key tick score-rule asset event event-close receipt benchmark split study question answers outcome " +
	"arena-rule round forecast freeze unseal grade note")

var kindForm = regexp.MustCompile(`^[a-z][a-z-]{0,30}/[1-9][0-9]{0,3}$`)

type entry struct {
	seq  int64
	prev string
	at   int64
	kind string
	body node
	leaf []byte
}

func parseEntry(raw []byte) entry {
	if len(raw) > maxEntry {
		refuse("", "an entry of more than 65,535 bytes")
	}
	m := node{"entry", parseCanonical(raw)}.object("v", "seq", "prev", "at", "kind", "body")
	m["v"].integer(1, 1)
	if _, is := m["body"].v.(map[string]any); !is {
		refuse("entry.body", "no object")
	}
	return entry{
		seq:  m["seq"].integer(0, maxInteger),
		prev: m["prev"].hash(),
		at:   m["at"].time(),
		kind: m["kind"].match(kindForm),
		body: node{"body", m["body"].v},
		leaf: leafHash(raw),
	}
}

func knownKind(kind string) bool {
	for _, noun := range kinds {
		if kind == noun+"/1" {
			return true
		}
	}
	return false
}

type genesis struct {
	origin  string
	logKey  noteKey
	network string
}

var originForm = regexp.MustCompile(`^[a-z0-9][a-z0-9./-]{0,127}$`)

func parseGenesis(body node) genesis {
	m := body.object("origin", "network", "report_key", "checkpoint_vkey", "next_report_key_sha256",
		"recovery_key_sha256", "chain", "program", "policies")
	origin := m["origin"].match(originForm)
	network := m["network"].oneOf("development", "production")
	if (network == "development") != strings.HasPrefix(origin, "development/") {
		refuse(m["network"].at, "not that of the origin")
	}
	m["report_key"].hex(32)
	m["next_report_key_sha256"].hash()
	m["recovery_key_sha256"].hash()
	p := m["policies"].object("cosigners_required", "witnesses_required", "witness_max_age_s")
	p["cosigners_required"].integer(0, 64)
	p["witnesses_required"].integer(0, 64)
	p["witness_max_age_s"].integer(0, 31622400)
	key := parseNoteKey(m["checkpoint_vkey"].text(1, 256))
	if key.kind != kindLog || key.name != origin {
		refuse(m["checkpoint_vkey"].at, "not the key of the origin")
	}
	return genesis{origin, key, network}
}

func (e entry) leafHex() string { return hex.EncodeToString(e.leaf) }
