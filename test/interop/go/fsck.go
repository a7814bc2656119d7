package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"

	"github.com/transparency-dev/formats/log"
	f_proof "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
)

// leafHashes are the RFC 6962 leaf hashes of a bundle's entries.
func leafHashes(bundle []byte) ([][]byte, error) {
	entries := &api.EntryBundle{}
	if err := entries.UnmarshalText(bundle); err != nil {
		return nil, err
	}
	hashes := make([][]byte, 0, len(entries.Entries))
	for _, entry := range entries.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return hashes, nil
}

func open(address, key string) (*client.HTTPFetcher, note.Verifier, error) {
	root, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	fetcher, err := client.NewHTTPFetcher(root, nil)
	if err != nil {
		return nil, nil, err
	}
	verifier, err := note.NewVerifier(key)
	return fetcher, verifier, err
}

// checkLog has Tessera's fsck walk a whole log: every bundle hashed, every tile and the root derived again.
func checkLog(ctx context.Context, args []string) error {
	args, err := take(args, "url", "origin", "vkey")
	if err != nil {
		return err
	}
	fetcher, verifier, err := open(args[0], args[2])
	if err != nil {
		return err
	}
	if err := fsck.New(args[1], verifier, fetcher, leafHashes, fsck.Opts{N: 4}).Check(ctx); err != nil {
		return err
	}
	return say(map[string]any{"checked": true})
}

// proveLog has Tessera build an inclusion and a consistency proof from a log's tiles.
func proveLog(ctx context.Context, args []string) error {
	args, err := take(args, "url", "origin", "vkey", "index", "smaller")
	if err != nil {
		return err
	}
	fetcher, verifier, err := open(args[0], args[2])
	if err != nil {
		return err
	}
	index, err := strconv.ParseUint(args[3], 10, 64)
	if err != nil {
		return err
	}
	smaller, err := strconv.ParseUint(args[4], 10, 64)
	if err != nil {
		return err
	}
	head, raw, _, err := client.FetchCheckpoint(ctx, fetcher.ReadCheckpoint, verifier, args[1])
	if err != nil {
		return err
	}
	builder, err := client.NewProofBuilder(ctx, head.Size, fetcher.ReadTile)
	if err != nil {
		return err
	}
	inclusion, err := builder.InclusionProof(ctx, index)
	if err != nil {
		return err
	}
	consistency, err := builder.ConsistencyProof(ctx, smaller, head.Size)
	if err != nil {
		return err
	}
	return say(map[string]any{
		"checkpoint":  string(raw),
		"inclusion":   hexes(inclusion),
		"consistency": hexes(consistency),
	})
}

func hexes(hashes [][]byte) []string {
	out := make([]string, 0, len(hashes))
	for _, each := range hashes {
		out = append(out, hex.EncodeToString(each))
	}
	return out
}

// checkProof opens the tlog-proof on standard input and checks that it holds for a leaf hash.
func checkProof(_ context.Context, args []string) error {
	args, err := take(args, "origin", "vkey", "leaf hash, hex")
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(args[1])
	if err != nil {
		return err
	}
	leaf, err := hex.DecodeString(args[2])
	if err != nil {
		return err
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var given f_proof.TLogProof
	if err := given.Unmarshal(data); err != nil {
		return fmt.Errorf("tlog-proof: %w", err)
	}
	head, _, _, err := log.ParseCheckpoint(given.Checkpoint, args[0], verifier)
	if err != nil {
		return err
	}
	hashes := make([][]byte, 0, len(given.Hashes))
	for _, each := range given.Hashes {
		hashes = append(hashes, each[:])
	}
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, given.Index, head.Size, leaf, hashes, head.Hash); err != nil {
		return err
	}
	return say(map[string]any{"index": given.Index, "size": head.Size})
}
