module assay/verifier

go 1.22

require github.com/kilic/bls12-381 v0.1.0

require golang.org/x/sys v0.0.0-20201101102859-da207088b7d1 // indirect
