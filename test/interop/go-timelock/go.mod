module assay/timelock

go 1.22

require (
	github.com/drand/kyber v1.3.1
	github.com/drand/kyber-bls12381 v0.3.3
)

require (
	github.com/kilic/bls12-381 v0.1.0 // indirect
	golang.org/x/crypto v0.32.0 // indirect
	golang.org/x/sys v0.29.0 // indirect
)
