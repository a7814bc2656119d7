#!/bin/sh
# A standby of the server FROM, db1 if nothing else is said, which confirms its commits under its own host name.
set -eu
data=/var/lib/postgresql/data
if [ ! -f "$data/PG_VERSION" ]; then
  # -R writes the password into the folder, which nobody else can read.
  password=$(cat /run/secrets/guard)
  pg_basebackup -D "$data" -R -c fast -X stream \
    -d "host=${FROM:-db1} user=assay password=$password application_name=db2"
fi
chmod 0700 "$data"
exec postgres -D "$data"
