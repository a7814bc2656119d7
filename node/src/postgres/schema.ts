/**
 * The tables of the head guard. An operator may make them before, with a user that may not: then the node's own user needs
 * `select, insert, update` on `assay_head`, `select, insert, delete` on `assay_pending`, and all four on `assay_follower`.
 * docs/standby.md has the statements.
 */
export const TABLES: Readonly<Record<string, string>> = {
  assay_head: `create table if not exists assay_head (
    log text primary key,
    epoch bigint not null check (epoch > 0),
    writer text not null,
    size bigint not null check (size >= 0),
    root bytea check (octet_length(root) = 32),
    check ((root is null) = (size = 0))
  )`,
  assay_pending: `create table if not exists assay_pending (
    log text not null references assay_head (log),
    from_size bigint not null check (from_size >= 0),
    from_root bytea,
    size bigint not null check (size > from_size),
    root bytea not null,
    entries bytea not null,
    primary key (log, size)
  )`,
  assay_follower: `create table if not exists assay_follower (
    log text not null,
    name text not null,
    size bigint not null check (size >= 0),
    at timestamptz not null default now(),
    primary key (log, name)
  )`,
};

/** Which tables are there, and whether what is written to them outlives a crash and reaches a standby. */
export const FIND_TABLES = `select relname as name, relpersistence as persistence from pg_class
  where oid = any (array[to_regclass('assay_head'), to_regclass('assay_pending'), to_regclass('assay_follower')])`;

/**
 * What a commit of a session depends on. `session` is a name that only this session has, so that a statement can ask whether
 * it runs in the session that was looked at, and not in another one behind a pooler.
 */
export const SETTINGS = (timeoutMs: number): readonly string[] => [
  `select set_config('synchronous_commit', case when current_setting('synchronous_commit') = 'remote_apply' then 'remote_apply' else 'on' end, false)`,
  `set client_min_messages = warning`,
  `set lock_timeout = ${timeoutMs}`,
  `set statement_timeout = ${timeoutMs}`,
  `set idle_in_transaction_session_timeout = ${timeoutMs}`,
  `set default_transaction_isolation = 'read committed'`,
];

export const NAME_SESSION = `select set_config('assay.session', $1, false)`;

export const LOOK_AT_SERVER = `select pg_is_in_recovery() as recovery,
  pg_postmaster_start_time()::text as started,
  current_setting('synchronous_standby_names') as standbys,
  current_setting('synchronous_commit') as commits,
  current_setting('fsync') as fsync,
  current_setting('client_min_messages') as messages`;

/** True in a session whose commits count; $1 is the session's name, $2 whether a standby is asked for. */
const SAFE = `current_setting('assay.session', true) = $1::text
  and current_setting('synchronous_commit') in ('on', 'remote_apply')
  and current_setting('client_min_messages') in ('warning', 'notice', 'log', 'debug1', 'debug2', 'debug3', 'debug4', 'debug5')
  and (not $2::boolean or current_setting('synchronous_standby_names') <> '')`;

export const LOOK = `select epoch, writer, size, root from assay_head where log = $1::text`;

/** $3 log, $4 writer, $5 the writer that must hold the row, or null for anybody. */
export const TAKE: string = `insert into assay_head as held (log, epoch, writer, size, root)
  select $3::text, 1, $4::text, 0, null where ${SAFE}
  on conflict (log) do update set epoch = held.epoch + 1, writer = excluded.writer
    where $5::text is null or held.writer = $5::text
  returning epoch, writer, size, root`;

/** $3 log, $4 writer, $5 and $6 the head at which a row begins where there is none. */
export const BEGIN: string = `insert into assay_head (log, epoch, writer, size, root)
  select $3::text, 1, $4::text, $5::bigint, $6::bytea where ${SAFE} on conflict do nothing`;

/** $3 log, $4 epoch, $5 writer, $6 and $7 the head before, $8 and $9 the one after, $10 the entries between them. */
export const MOVE: string = `with moved as (
    update assay_head set size = $8::bigint, root = $9::bytea
    where log = $3::text and epoch = $4::bigint and writer = $5::text
      and size = $6::bigint and root is not distinct from $7::bytea and ${SAFE}
    returning log)
  insert into assay_pending (log, from_size, from_root, size, root, entries)
  select log, $6::bigint, $7::bytea, $8::bigint, $9::bytea, $10::bytea from moved`;

export const PENDING = `select from_size, from_root, size, root, entries from assay_pending
  where log = $1::text order by size`;

/**
 * Drops batches up to $2, for the owner of epoch $3 as writer $4 alone: one that was shut out drops nothing. What a follower has not
 * confirmed stays, unless it is more than $5 entries behind. The head keeps its own batch.
 */
export const DROP = `delete from assay_pending where log = $1::text and size <= least($2::bigint,
    (select min(size) from assay_follower where log = $1::text and $2::bigint - size <= $5::bigint))
  and size < (select size from assay_head where log = $1::text and epoch = $3::bigint and writer = $4::text)`;

export const FOLLOWERS = `select name, size, extract(epoch from now() - at) as age from assay_follower
  where log = $1::text order by name`;

/**
 * How far a follower is: $3 entries. It gives back whether the batches begin no later than there, so that the follower could be
 * promoted without an answer of the writer.
 */
export const CONFIRM = `with known as (
    insert into assay_follower as known (log, name, size, at) values ($1::text, $2::text, $3::bigint, now())
    on conflict (log, name) do update set size = excluded.size, at = now())
  select coalesce(min(from_size), 0) <= $3::bigint as covered from assay_pending where log = $1::text`;

export const FORGET = `delete from assay_follower where log = $1::text and name = $2::text`;
