// A second verifier of the Terminal and of the Arena, written from docs/spec and vectors alone.
//
//	verifier vectors FOLDER    recomputes the vectors
//	verifier log TARGET        checks the log at an address, or in a folder, and says what it found as JSON
//	verifier receipt FILE TARGET   says whether the log has the forecast of a receipt in its place
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
	case len(os.Args) == 4 && os.Args[1] == "receipt":
		if !keeps(os.Args[2], source{base: os.Args[3]}) {
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
		fmt.Fprintln(os.Stderr, "usage: verifier vectors FOLDER | verifier log TARGET | verifier receipt FILE TARGET | verifier logs")
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

// keeps holds a receipt, or a file with one in its member receipt, to a log.
func keeps(file string, from source) bool {
	raw, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var given row
	if err := json.Unmarshal(raw, &given); err != nil {
		panic(err)
	}
	if inner, is := given["receipt"].(row); is {
		given = inner
	}
	p := parsePromise(node{"receipt", plainNumbers(given)})
	r, _, wrong := checkLog(from)
	fmt.Printf("signed: %v, in its place: %v, the log is in order: %v\n", p.signed(), r.kept(p), wrong == nil)
	return p.signed() && r.kept(p) && wrong == nil
}
