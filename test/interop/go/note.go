package main

import (
	"context"
	"io"
	"os"
	"strings"

	f_note "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

// openNote opens the signed note on standard input with the verifier keys that it is given (Ed25519, or a witness's
// cosignature/v1), all of which must have signed.
func openNote(_ context.Context, args []string) error {
	var verifiers []note.Verifier
	for _, key := range args {
		verifier, err := verifierOf(key)
		if err != nil {
			return err
		}
		verifiers = append(verifiers, verifier)
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	opened, err := note.Open(data, note.VerifierList(verifiers...))
	if err != nil {
		return err
	}
	names := []string{}
	for _, each := range opened.Sigs {
		names = append(names, each.Name)
	}
	return say(map[string]any{
		"text":       opened.Text,
		"verified":   names,
		"unverified": len(opened.UnverifiedSigs),
	})
}

// verifierOf is the verifier of a plain key, or of a cosignature/v1 key (its data begins with type 4).
func verifierOf(key string) (note.Verifier, error) {
	parts := strings.SplitN(key, "+", 3)
	if len(parts) == 3 && strings.HasPrefix(parts[2], "B") {
		return f_note.NewVerifierForCosignatureV1(key)
	}
	return note.NewVerifier(key)
}
