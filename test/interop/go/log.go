package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

// makeLog makes a Tessera log in a folder and says its key. Each line of standard input, `<entries> <witness url>
// <witness vkey>`, adds so many entries, has the checkpoint cosigned by that witness, which Tessera demands before
// it publishes, and says the published checkpoint.
func makeLog(ctx context.Context, args []string) error {
	args, err := take(args, "folder", "origin")
	if err != nil {
		return err
	}
	secret, public, err := note.GenerateKey(rand.Reader, args[1])
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return err
	}
	if err := say(map[string]any{"vkey": public}); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	made := 0
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			return fmt.Errorf("a line of %d words", len(fields))
		}
		count, err := strconv.Atoi(fields[0])
		if err != nil {
			return err
		}
		checkpoint, err := addEntries(ctx, args[0], signer, made, count, fields[1], fields[2])
		if err != nil {
			return err
		}
		made += count
		if err := say(map[string]any{"checkpoint": string(checkpoint)}); err != nil {
			return err
		}
	}
	return lines.Err()
}

func addEntries(ctx context.Context, folder string, signer note.Signer, first, count int, witnessURL, vkey string) ([]byte, error) {
	root, err := url.Parse(witnessURL)
	if err != nil {
		return nil, err
	}
	witness, err := tessera.NewWitness(vkey, root)
	if err != nil {
		return nil, err
	}
	driver, err := posix.New(ctx, posix.Config{Path: folder})
	if err != nil {
		return nil, err
	}
	options := tessera.NewAppendOptions().
		WithCheckpointSigner(signer).
		WithBatching(uint(count), 100*time.Millisecond).
		WithCheckpointInterval(100*time.Millisecond).
		WithWitnesses(tessera.NewWitnessGroup(1, witness), &tessera.WitnessOptions{Timeout: 5 * time.Second})
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, options)
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	await := tessera.NewPublicationAwaiter(limited, reader.ReadCheckpoint, 50*time.Millisecond)
	futures := make([]tessera.IndexFuture, 0, count)
	for i := range count {
		futures = append(futures, appender.Add(limited, tessera.NewEntry([]byte(fmt.Sprintf("entry %d", first+i)))))
	}
	var checkpoint []byte
	for _, future := range futures {
		if _, checkpoint, err = await.Await(limited, future); err != nil {
			return nil, err
		}
	}
	return checkpoint, shutdown(limited)
}
