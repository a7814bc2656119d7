#!/bin/sh
# Run by the image of PostgreSQL when it has made the database: a standby may copy it, with the password.
set -eu
echo 'host replication all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
