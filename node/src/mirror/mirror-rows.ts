import { formatEvidence, type ForkEvidence, parseEvidence } from '@assay/core/proof/evidence';
import { Fault, messageOf } from '@assay/core/fault';
import { CHECKPOINT_KEY_CAUSES } from '@assay/core/kind/checkpoint-key';
import type { CheckpointTerm } from '@assay/core/view/key/checkpoint-keys';
import {
  array,
  integer,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '@assay/core/wire/schema';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import type { ViewRow } from '../ledger/store/store.ts';

/**
 * A table of the mirror itself, in addition to the views: it records what the copy is of, and belongs to no
 * view.
 */
export const MIRROR_TABLE = 'mirror';
const HELD = 'held';
const FORK = 'fork';
const OLDER = 'older';
const BYTES = 'bytes';
const LEARNED = 'learned';

/** How many older heads are stored until they can be compared. */
export const MAX_OLDER = 64;

const parseOlder = object<{ readonly notes: readonly string[] }>({
  notes: array(string(1, 65_536), 0, MAX_OLDER),
});
const parseBytes = object<{ readonly bytes: number }>({
  bytes: integer(0, Number.MAX_SAFE_INTEGER),
});
const parseLearned: Parse<CheckpointTerm> = object<CheckpointTerm>({
  number: integer(1, 65_535),
  vkey: string(1, 512),
  seq: integer(1, Number.MAX_SAFE_INTEGER),
  cause: oneOf(CHECKPOINT_KEY_CAUSES),
  above: integer(1, Number.MAX_SAFE_INTEGER),
  last_size: nullable(integer(1, Number.MAX_SAFE_INTEGER)),
  promised_by: nullable(integer(1, Number.MAX_SAFE_INTEGER)),
});
const parseHeld = object<{ readonly note: string }>({ note: string(1, 65_536) });

/** What a mirror's store holds in addition to entries, tiles and the rows of views. */
export interface MirrorRows {
  /** The newest head whose entries are all there, or were when it was written. */
  readonly held: Uint8Array | undefined;
  readonly fork: ForkEvidence | undefined;
  /** Heads older than the accepted one, which have not been compared with it yet. */
  readonly older: readonly Uint8Array[];
  /** The bytes of all entries; undefined if that is not recorded. */
  readonly bytes: number | undefined;
  /** The newest checkpoint key that was believed before its entry was stored. */
  readonly learned: CheckpointTerm | undefined;
}

/** The row that records that everything under this head is here. */
export function heldRow(note: Uint8Array): ViewRow {
  return { table: MIRROR_TABLE, key: HELD, value: formatWire({ note: parseUtf8(note) }) };
}

/** The row that records that the log's key signed two histories, so that nothing more is followed. */
export function forkRow(evidence: ForkEvidence): ViewRow {
  return { table: MIRROR_TABLE, key: FORK, value: formatEvidence(evidence) };
}

/** The row of the heads that will be compared once everything that this needs is here. */
export function olderRow(notes: readonly Uint8Array[]): ViewRow {
  return { table: MIRROR_TABLE, key: OLDER, value: formatWire({ notes: notes.map(parseUtf8) }) };
}

/** The row with the number of bytes of all entries. */
export function bytesRow(bytes: number): ViewRow {
  return { table: MIRROR_TABLE, key: BYTES, value: formatWire({ bytes }) };
}

/** The row of a checkpoint key that signs the accepted head, and whose entry is not stored yet. */
export function learnedRow(term: CheckpointTerm): ViewRow {
  return { table: MIRROR_TABLE, key: LEARNED, value: formatWire({ ...term }) };
}

/** Parses the rows of `MIRROR_TABLE`. Throws `ledger_corrupt`. */
export function readRows(rows: Iterable<ViewRow>): MirrorRows {
  let held: Uint8Array | undefined;
  let fork: ForkEvidence | undefined;
  let older: readonly Uint8Array[] = [];
  let bytes: number | undefined;
  let learned: CheckpointTerm | undefined;
  for (const { table, key, value } of rows) {
    try {
      if (key === HELD) held = formatUtf8(parseHeld(parseWire(value), 'held').note);
      else if (key === BYTES) bytes = parseBytes(parseWire(value), 'bytes').bytes;
      else if (key === LEARNED) learned = parseLearned(parseWire(value), 'learned');
      else if (key === OLDER) {
        older = parseOlder(parseWire(value), 'older').notes.map(formatUtf8);
      } else fork = readFork(value);
    } catch (cause) {
      throw new Fault('ledger_corrupt', 'view row', {
        at: `${table} ${key}`,
        found: messageOf(cause),
        cause,
      });
    }
  }
  return { held, fork, older, bytes, learned };
}

function readFork(value: Uint8Array): ForkEvidence | undefined {
  const evidence = parseEvidence(value);
  return evidence.kind === 'fork' ? evidence : undefined;
}
