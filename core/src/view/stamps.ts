import type { HashHex, Sha256 } from '../hash/hash.ts';
import { checkpointDigest, stampOf, type Stamped } from './stamp.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { type AnchorRow, anchorRow } from './anchors.ts';
import { logRow } from './log.ts';
import { seqKey } from './seq-key.ts';
import type { FoldedEntry, View, ViewState, ViewWrite } from './view.ts';

const BY_SEQ = 'stamps';
const BY_DIGEST = 'stamped';

/** A digest that a batch holds or will hold. */
export interface StampRow {
  readonly of: Stamped;
  /** The entry that holds the record; for a checkpoint its size. */
  readonly seq: number;
  /** The time that this entry claims; null for a checkpoint. */
  readonly at: TimeText | null;
  /** The batch that holds it; null until there is one. */
  readonly batch: number | null;
}

/** What is stamped, by its position in the log and by digest. Of two equal digests the first counts. */
export const stampsView: View = {
  name: 'stamps',
  apply(entry, state, sha256) {
    if (entry.kind === 'anchor/1') return entry.body.issue === 0 ? taken(entry, state, sha256) : [];
    const stamp = stampOf(entry, sha256);
    if (stamp === undefined || stampRow(state, stamp.digest) !== undefined) return [];
    const { seq, at } = entry;
    return [
      { table: BY_SEQ, key: seqKey(seq), value: stamp.digest },
      write(stamp.digest, { of: stamp.of, seq, at, batch: null }),
    ];
  },
};

/** The rows of the digests that a new batch holds. */
function taken(
  { body }: Extract<FoldedEntry, { readonly kind: 'anchor/1' }>,
  state: ViewState,
  sha256: Sha256,
): readonly ViewWrite[] {
  const { batch, from, to, root } = body;
  if (anchorRow(state, batch) !== undefined) return [];
  const writes: ViewWrite[] = [];
  const checkpoint = checkpointDigest(sha256, logRow(state)?.origin ?? '', to, root);
  writes.push(write(checkpoint, { of: 'checkpoint', seq: to, at: null, batch }));
  for (const digest of stampsBetween(state, from, to)) {
    const row = stampRow(state, digest) as StampRow;
    if (row.batch === null) writes.push(write(digest, { ...row, batch }));
  }
  return writes;
}

function write(digest: HashHex, row: StampRow): ViewWrite {
  return { table: BY_DIGEST, key: digest, value: wire(row) };
}

export function stampRow(state: ViewState, digest: HashHex): StampRow | undefined {
  return state.get(BY_DIGEST, digest) as unknown as StampRow | undefined;
}

/** The digests of the records in `[from, to)`, in the order of the log. */
export function stampsBetween(state: ViewState, from: number, to: number): readonly HashHex[] {
  const digests: HashHex[] = [];
  const first = seqKey(from);
  for (const [key, digest] of state.descend(BY_SEQ, seqKey(to))) {
    if (key < first) break;
    digests.push(digest as HashHex);
  }
  return digests.reverse();
}

/** The batch that holds a digest, and what the digest is of. */
export function stampedBatch(
  state: ViewState,
  digest: HashHex,
): { readonly stamp: StampRow; readonly anchor: AnchorRow } | undefined {
  const stamp = stampRow(state, digest);
  if (stamp === undefined || stamp.batch === null) return undefined;
  const anchor = anchorRow(state, stamp.batch);
  return anchor === undefined ? undefined : { stamp, anchor };
}
