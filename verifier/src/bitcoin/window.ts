import { anchorOf, anchorRow } from '@assay/core/view/anchors';
import type { ViewState } from '@assay/core/view/view';
import type { BeaconHistory } from './beacon-history.ts';
import { promiseText } from './pending.ts';
import type { BlockFacts, Window } from '../verdict/verdict.ts';

/** An entry whose window was asked for, as the walk saw it. */
export interface Seen {
  readonly seq: number;
  readonly kind: string;
}

/**
 * The two blocks between which an entry was written: the highest that the log named before it, and the one that holds
 * the first attested batch over it. A later batch covers the entry too, by its checkpoint. `holding` has for each batch
 * the best block of the first batch, from that one on, that has a block.
 */
export function windowOf(
  { seq, kind }: Seen,
  state: ViewState,
  holding: ReadonlyMap<number, BlockFacts>,
  beacons: Pick<BeaconHistory, 'highestBefore'>,
): Window {
  const first = anchorOf(state, seq);
  const before = first === undefined ? undefined : holding.get(first.batch);
  if (before !== undefined) {
    // A beacon at or above that block was undone by a reorganisation.
    const after = plain(beacons.highestBefore(seq, before.height));
    return { seq, kind, after, before: plain(before), pending: null };
  }
  const after = plain(beacons.highestBefore(seq));
  return { seq, kind, after, before: null, pending: pendingText(state, first?.batch) };
}

/** The facts of a block alone, without what the block is used for. */
function plain(block: BlockFacts | null | undefined): BlockFacts | null {
  if (block == null) return null;
  const { height, block: id, time, headers, work, trust, doubt } = block;
  return { height, block: id, time, headers, work, trust, doubt };
}

function pendingText(state: ViewState, batch: number | undefined): string {
  const row = batch === undefined ? undefined : anchorRow(state, batch);
  if (row === undefined) return 'no batch of stamps covers it yet';
  if (row.bitcoin.length > 0) return 'the blocks that are said to hold it could not be confirmed';
  const asked = row.calendars.filter(({ state: how }) => how === 'pending');
  if (asked.length === 0) {
    return `stamped ${row.stamped_at}, and its calendars gave no block while they were asked`;
  }
  return `said to be stamped ${row.stamped_at}; ${promiseText(asked.map(({ uri }) => uri))}`;
}
