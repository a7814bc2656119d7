// Reads a compose file, and a Dockerfile if one is named, by the libraries that Docker itself reads such files with: compose-go the
// compose file, which is checked against the schema of the Compose Specification, and BuildKit the Dockerfile. It prints what they understood as JSON, or ends
// with 1 and what they say. Nothing is built or run.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

type read struct {
	Project  any      `json:"project"`
	Stages   []string `json:"stages"`
	Warnings []string `json:"warnings"`
}

func compose(path string) (any, error) {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithName("assay"))
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	text, err := project.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}

func dockerfile(path string, into *read) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	tree, err := parser.Parse(file)
	if err != nil {
		return err
	}
	for _, warning := range tree.Warnings {
		into.Warnings = append(into.Warnings, warning.Short)
	}
	warn := func(rule, _, _, message string, _ []parser.Range) {
		into.Warnings = append(into.Warnings, rule+": "+message)
	}
	stages, _, err := instructions.Parse(tree.AST, linter.New(&linter.Config{Warn: warn}))
	if err != nil {
		return err
	}
	for _, stage := range stages {
		into.Stages = append(into.Stages, stage.BaseName)
	}
	return nil
}

func main() {
	result := read{Stages: []string{}, Warnings: []string{}}
	project, err := compose(os.Args[1])
	if err == nil {
		result.Project = project
		if len(os.Args) > 2 {
			err = dockerfile(os.Args[2], &result)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(result)
}
