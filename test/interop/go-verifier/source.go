package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// source reads the files of a log (docs/spec/tree.md#tiles): from the address of a service or a folder, or from memory.
type source struct {
	base  string
	files map[string][]byte
}

var client = http.Client{Timeout: time.Minute}

const maxFile = 64 << 20

func (s source) read(path string) []byte {
	if s.files != nil {
		raw, is := s.files[path]
		if !is {
			refuse(path, "not there")
		}
		return raw
	}
	if !strings.HasPrefix(s.base, "http://") && !strings.HasPrefix(s.base, "https://") {
		raw, err := os.ReadFile(filepath.Join(s.base, filepath.FromSlash(path)))
		if err != nil {
			refuse(path, "cannot be read")
		}
		return raw
	}
	answer, err := client.Get(strings.TrimSuffix(s.base, "/") + "/" + path)
	if err != nil {
		refuse(path, "cannot be fetched: %s", err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxFile))
	if err != nil || answer.StatusCode != 200 {
		refuse(path, "cannot be fetched: status %d", answer.StatusCode)
	}
	return raw
}

// blob reads bytes by their SHA-256, and holds them to it.
func (s source) blob(hash string) []byte {
	raw := s.read("blob/" + hash)
	if hexHash(raw) != hash {
		refuse("blob/"+hash, "other bytes than its hash says")
	}
	return raw
}

// tilePath is where tile n of width entries is.
func tilePath(level string, n, width int64) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n > 0; n /= 1000 {
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	if width < 256 {
		path += fmt.Sprintf(".p/%d", width)
	}
	return "tile/" + level + "/" + path
}

// entries reads the bytes of the first entries of a log.
func (s source) entries(size int64) [][]byte {
	out := [][]byte{}
	for n := int64(0); n*256 < size; n++ {
		width := min(256, size-n*256)
		path := tilePath("entries", n, width)
		bundle := s.read(path)
		for i := int64(0); i < width; i++ {
			if len(bundle) < 2 || len(bundle) < 2+int(bundle[0])<<8+int(bundle[1]) {
				refuse(path, "a bundle that is too short")
			}
			end := 2 + int(bundle[0])<<8 + int(bundle[1])
			out = append(out, bundle[2:end])
			bundle = bundle[end:]
		}
		if len(bundle) > 0 {
			refuse(path, "a bundle that is too long")
		}
	}
	return out
}
