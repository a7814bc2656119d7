// Command interop has the libraries of others look at an Assay log: sumdb/note opens its checkpoints, Tessera reads
// its tiles, checks the whole of it and builds proofs, omniwitness cosigns it, and a log made by Tessera is
// cosigned by an Assay witness. Each subcommand prints one JSON value a line; an error goes to standard error
// with exit code 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
)

type command func(ctx context.Context, args []string) error

var commands = map[string]command{
	"note":    openNote,
	"fsck":    checkLog,
	"prove":   proveLog,
	"proof":   checkProof,
	"witness": runWitness,
	"log":     makeLog,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: interop note|fsck|prove|proof|witness|log ...")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "interop %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// say prints a value as one line of JSON.
func say(value any) error {
	return json.NewEncoder(os.Stdout).Encode(value)
}

// take gives the arguments by name, or an error where there are more or fewer.
func take(args []string, names ...string) ([]string, error) {
	if len(args) != len(names) {
		return nil, fmt.Errorf("%d arguments, not %v", len(args), names)
	}
	return args, nil
}
