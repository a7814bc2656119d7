package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"iter"
	"net"
	"net/http"
	"os"

	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/config"
	"github.com/transparency-dev/witness/omniwitness"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"golang.org/x/mod/sumdb/note"
)

// oneLog is the config of a witness that knows one log.
type oneLog struct{ log config.Log }

func (o oneLog) Logs(context.Context) iter.Seq2[config.Log, error] {
	return func(yield func(config.Log, error) bool) { yield(o.log, nil) }
}

func (o oneLog) Log(_ context.Context, origin string) (config.Log, bool, error) {
	return o.log, origin == o.log.Origin, nil
}

func (o oneLog) AddLogs(context.Context, []config.Log) error { return nil }

// runWitness runs omniwitness on loopback for one log, says where and with which key, and ends with standard input.
func runWitness(ctx context.Context, args []string) error {
	args, err := take(args, "name", "origin", "vkey")
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(args[2])
	if err != nil {
		return err
	}
	secret, public, err := note.GenerateKey(rand.Reader, args[0])
	if err != nil {
		return err
	}
	signer, err := f_note.NewSignerForCosignatureV1(secret)
	if err != nil {
		return err
	}
	vkey, err := f_note.VKeyToCosignatureV1(public)
	if err != nil {
		return err
	}
	own, err := f_note.NewVerifierForCosignatureV1(public)
	if err != nil {
		own, err = f_note.NewVerifierForCosignatureV1(vkey)
		if err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := say(map[string]any{"url": "http://" + listener.Addr().String(), "vkey": vkey}); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		}
		stop()
	}()
	err = omniwitness.Main(ctx, omniwitness.OperatorConfig{
		WitnessKeys:     []note.Signer{signer},
		WitnessVerifier: own,
		Logs:            oneLog{config.Log{VKey: args[2], Verifier: verifier, Origin: args[1]}},
	}, inmemory.New(), listener, http.DefaultClient)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
