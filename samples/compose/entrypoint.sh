#!/bin/sh
# Each file /run/secrets/ASSAY_... becomes the variable of its name, and then `assay`, in the working directory, takes the place of this shell.
set -eu
for file in "${ASSAY_SECRETS:-/run/secrets}"/ASSAY_*; do
  [ -f "$file" ] || continue
  value=$(cat "$file")
  export "${file##*/}=$value"
done
unset ASSAY_SECRETS
exec node cli/bin/assay.js "$@"
