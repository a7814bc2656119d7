import { anchorOf, anchorRow, newestAnchor } from '@assay/core/view/anchors';
import type { ViewState } from '@assay/core/view/view';
import type { BlockFacts, Window } from './verdict.ts';

/** An entry that was asked for, as the walk saw it. */
export interface Seen {
  readonly seq: number;
  readonly kind: string;
}

/**
 * The two blocks between which an entry was written: the newest that the log named before it, and the
 * one that holds the first attested batch over it. A later batch covers it too, by its checkpoint.
 * `blocks`: the good ones of each batch, the best first.
 */
export function windowOf(
  { seq, kind }: Seen,
  state: ViewState,
  blocks: ReadonlyMap<number, readonly BlockFacts[]>,
  beaconBefore: (seq: number, below: number) => BlockFacts | undefined | null,
): Window {
  const first = anchorOf(state, seq);
  const last = newestAnchor(state)?.batch ?? -1;
  for (let batch = first?.batch ?? last + 1; batch <= last; batch += 1) {
    const [before] = blocks.get(batch) ?? [];
    if (before !== undefined) {
      // A beacon that is not below it was taken back by a reorganisation.
      const after = plain(beaconBefore(seq, before.height));
      return { seq, kind, after, before: plain(before), pending: null };
    }
  }
  const after = plain(beaconBefore(seq, Number.POSITIVE_INFINITY));
  return { seq, kind, after, before: null, pending: pendingWords(state, first?.batch) };
}

/** A block without what it is the block of. */
function plain(block: BlockFacts | null | undefined): BlockFacts | null {
  if (block == null) return null;
  const { height, block: id, time, headers, work, trust } = block;
  return { height, block: id, time, headers, work, trust };
}

function pendingWords(state: ViewState, batch: number | undefined): string {
  const row = batch === undefined ? undefined : anchorRow(state, batch);
  if (row === undefined) return 'no batch of stamps covers it yet';
  if (row.bitcoin.length > 0) return 'the blocks that are said to hold it could not be confirmed';
  const asked = row.calendars.filter(({ state: how }) => how === 'pending');
  if (asked.length === 0) {
    return `stamped ${row.stamped_at}, and its calendars gave no block while they were asked`;
  }
  const calendars = asked.map(({ uri }) => uri).join(' and ');
  return `stamped ${row.stamped_at}; the block that will hold it is owed by ${calendars}`;
}
