// Drand's own time-lock encryption (github.com/drand/kyber, which tlock is made of) for the interop tests of sealed messages.
//
// It reads a JSON object a line, and writes one a line:
//
//	{"seal":   {"public_key", "round", "message"}}     {"sealed": hex}
//	{"open":   {"signature", "sealed"}}                {"message": hex}
//	{"verify": {"public_key", "round", "signature"}}   {"verified": true}
//
// All bytes are in hex. What it refuses is {"refused": text}.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	bls12381 "github.com/drand/kyber-bls12381"
	"github.com/drand/kyber/encrypt/ibe"
	"github.com/drand/kyber/pairing"
	"github.com/drand/kyber/sign/bls"
)

type values struct {
	PublicKey string `json:"public_key"`
	Round     uint64 `json:"round"`
	Message   string `json:"message"`
	Signature string `json:"signature"`
	Sealed    string `json:"sealed"`
}

type request struct {
	Seal   *values `json:"seal"`
	Open   *values `json:"open"`
	Verify *values `json:"verify"`
}

const sizeG2 = 96

func identity(round uint64) []byte {
	digest := sha256.Sum256(binary.BigEndian.AppendUint64(nil, round))
	return digest[:]
}

func seal(suite pairing.Suite, v *values) (map[string]any, error) {
	key := suite.G2().Point()
	if err := unmarshal(key, v.PublicKey); err != nil {
		return nil, err
	}
	message, err := hex.DecodeString(v.Message)
	if err != nil {
		return nil, err
	}
	c, err := ibe.EncryptCCAonG2(suite, key, identity(v.Round), message)
	if err != nil {
		return nil, err
	}
	u, err := c.U.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return map[string]any{"sealed": hex.EncodeToString(append(append(u, c.V...), c.W...))}, nil
}

func open(suite pairing.Suite, v *values) (map[string]any, error) {
	signature := suite.G1().Point()
	if err := unmarshal(signature, v.Signature); err != nil {
		return nil, err
	}
	sealed, err := hex.DecodeString(v.Sealed)
	if err != nil {
		return nil, err
	}
	if len(sealed) <= sizeG2 || (len(sealed)-sizeG2)%2 != 0 {
		return nil, errors.New("length")
	}
	u := suite.G2().Point()
	if err := u.UnmarshalBinary(sealed[:sizeG2]); err != nil {
		return nil, err
	}
	rest := sealed[sizeG2:]
	c := &ibe.Ciphertext{U: u, V: rest[:len(rest)/2], W: rest[len(rest)/2:]}
	message, err := ibe.DecryptCCAonG2(suite, signature, c)
	if err != nil {
		return nil, err
	}
	return map[string]any{"message": hex.EncodeToString(message)}, nil
}

func verify(suite pairing.Suite, v *values) (map[string]any, error) {
	key := suite.G2().Point()
	if err := unmarshal(key, v.PublicKey); err != nil {
		return nil, err
	}
	signature, err := hex.DecodeString(v.Signature)
	if err != nil {
		return nil, err
	}
	if err := bls.NewSchemeOnG1(suite).Verify(key, identity(v.Round), signature); err != nil {
		return nil, err
	}
	return map[string]any{"verified": true}, nil
}

func unmarshal(point interface{ UnmarshalBinary([]byte) error }, text string) error {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		return err
	}
	return point.UnmarshalBinary(bytes)
}

func answer(line []byte) (found map[string]any) {
	// The curve's library panics on some input.
	defer func() {
		if r := recover(); r != nil {
			found = map[string]any{"refused": fmt.Sprint(r)}
		}
	}()
	var ask request
	err := json.Unmarshal(line, &ask)
	suite := bls12381.NewBLS12381Suite()
	switch {
	case err != nil:
	case ask.Seal != nil:
		found, err = seal(suite, ask.Seal)
	case ask.Open != nil:
		found, err = open(suite, ask.Open)
	case ask.Verify != nil:
		found, err = verify(suite, ask.Verify)
	default:
		err = errors.New("nothing is asked")
	}
	if err != nil {
		return map[string]any{"refused": err.Error()}
	}
	return found
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := out.Encode(answer(lines.Bytes())); err != nil {
			os.Exit(1)
		}
	}
}
