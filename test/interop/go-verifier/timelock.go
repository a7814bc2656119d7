package main

import (
	"bytes"
	"encoding/binary"
	"math/big"

	bls "github.com/kilic/bls12-381"
)

// Signatures of drand rounds and messages sealed to them (docs/spec/timelock.md), on the curve of github.com/kilic/bls12-381.

const sealedBytes, roundTag = 160, "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"

// g1 and g2 read a compressed point, and take none but a point of the subgroup that is not infinity.
func g1(raw []byte) *bls.PointG1 {
	g := bls.NewG1()
	if len(raw) != 48 || raw[0]&0xc0 != 0x80 {
		return nil
	}
	p, err := g.FromCompressed(raw)
	if err != nil || g.IsZero(p) || !g.InCorrectSubgroup(p) {
		return nil
	}
	return p
}

func g2(raw []byte) *bls.PointG2 {
	g := bls.NewG2()
	if len(raw) != 96 || raw[0]&0xc0 != 0x80 {
		return nil
	}
	p, err := g.FromCompressed(raw)
	if err != nil || g.IsZero(p) || !g.InCorrectSubgroup(p) {
		return nil
	}
	return p
}

func roundPoint(round int64) *bls.PointG1 {
	p, err := bls.NewG1().HashToCurve(sha(be64(round)), []byte(roundTag))
	if err != nil {
		refuse("", "no point of a round: %s", err)
	}
	return p
}

// signedRound says whether the signature of a round verifies under the chain.
func (c drandChain) signedRound(round int64, signature []byte) bool {
	s, key := g1(signature), g2(c.key)
	if s == nil || key == nil {
		return false
	}
	e := bls.NewEngine()
	e.AddPair(s, e.G2.One())
	e.AddPairInv(roundPoint(round), key)
	return e.Check()
}

func pairing(p *bls.PointG1, q *bls.PointG2) []byte {
	e := bls.NewEngine()
	e.AddPair(p, q)
	return bls.NewGT().ToBytes(e.Result())
}

// openSealed gives the message that a signature opens, or nil.
func openSealed(signature, sealed []byte) []byte {
	if len(sealed) != sealedBytes {
		return nil
	}
	s, u := g1(signature), g2(sealed[:96])
	if s == nil || u == nil {
		return nil
	}
	sigma := xor(sealed[96:128], sha(append([]byte("IBE-H2"), pairing(s, u)...)))
	message := xor(sealed[128:], sha(append([]byte("IBE-H4"), sigma...)))
	if !bytes.Equal(scalarOf(sigma, message), sealed[:96]) {
		return nil
	}
	return message
}

func xor(a, b []byte) []byte {
	out := make([]byte, len(a))
	for i := range a {
		out[i] = a[i] ^ b[i]
	}
	return out
}

// scalarOf is H3(sigma, message) times B, compressed.
func scalarOf(sigma, message []byte) []byte {
	g := bls.NewG2()
	return g.ToCompressed(g.MulScalarBig(g.New(), g.One(), h3(sigma, message)))
}

func h3(sigma, message []byte) *big.Int {
	seed := sha(append(append([]byte("IBE-H3"), sigma...), message...))
	for i := uint16(1); i > 0; i++ {
		d := sha(append(binary.LittleEndian.AppendUint16(nil, i), seed...))
		d[0] >>= 1
		if n := new(big.Int).SetBytes(d); n.Sign() > 0 && n.Cmp(bls.NewG1().Q()) < 0 {
			return n
		}
	}
	return nil
}

// seal makes the 160 bytes of a message of 32 bytes to a round.
func (c drandChain) seal(round int64, message, sigma []byte) []byte {
	r := h3(sigma, message)
	key := g2(c.key)
	g := bls.NewG2()
	shared := pairing(roundPoint(round), g.MulScalarBig(g.New(), key, r))
	v := xor(sigma, sha(append([]byte("IBE-H2"), shared...)))
	w := xor(message, sha(append([]byte("IBE-H4"), sigma...)))
	return append(append(scalarOf(sigma, message), v...), w...)
}
