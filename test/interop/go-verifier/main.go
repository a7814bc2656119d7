// A second verifier of the Terminal and of the Arena, written from docs/spec and vectors alone.
//
//	verifier vectors FOLDER    recomputes the vectors
//	verifier log TARGET        checks the log at an address, or in a folder, and says what it found as JSON
//	verifier logs              the same of logs on standard input: a line of JSON each, of files in base64 by path
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "vectors":
		compared, differ := checkVectors(os.Args[2])
		for _, each := range differ {
			fmt.Fprintln(os.Stderr, each)
		}
		fmt.Printf("%d compared, %d differ\n", compared, len(differ))
		if len(differ) > 0 {
			os.Exit(1)
		}
	case len(os.Args) == 3 && os.Args[1] == "log":
		if !say(source{base: os.Args[2]}) {
			os.Exit(1)
		}
	case len(os.Args) == 2 && os.Args[1] == "logs":
		for in := json.NewDecoder(os.Stdin); in.More(); {
			var files map[string][]byte
			if err := in.Decode(&files); err != nil {
				panic(err)
			}
			say(source{files: files})
		}
	default:
		fmt.Fprintln(os.Stderr, "usage: verifier vectors FOLDER | verifier log TARGET | verifier logs")
		os.Exit(2)
	}
}

// say checks a log and prints what it found; whether it is verified.
func say(from source) bool {
	r, head, wrong := checkLog(from)
	out, err := json.Marshal(report(r, head, wrong))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	return wrong == nil
}
