import type { Anchor } from '../kind/anchor.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const TABLE = 'anchors';

/** A batch, as its newest issue describes it. */
export interface AnchorRow extends Anchor {
  /** The entry of the newest issue, and the time that it claims. */
  readonly seq: number;
  readonly at: TimeText;
}

/** Every batch of stamps. */
export const anchorsView: View = {
  name: 'anchors',
  apply(entry) {
    if (entry.kind !== 'anchor/1') return [];
    const row: AnchorRow = { ...entry.body, seq: entry.seq, at: entry.at };
    return [{ table: TABLE, key: seqKey(row.batch), value: wire(row) }];
  },
};

export function anchorRow(state: ViewState, batch: number): AnchorRow | undefined {
  return state.get(TABLE, seqKey(batch)) as unknown as AnchorRow | undefined;
}

/** The batches, newest first. With `before`, only those before it. */
export function* anchorsBack(state: ViewState, before?: number): Generator<AnchorRow> {
  const below = before === undefined ? undefined : seqKey(before);
  for (const [, row] of state.descend(TABLE, below)) yield row as unknown as AnchorRow;
}

/** The newest batch. The next one begins where it ends. */
export function newestAnchor(state: ViewState): AnchorRow | undefined {
  for (const row of anchorsBack(state)) return row;
  return undefined;
}

/** The first batch that covers entry `seq`, by bisection. Batches follow one another without a gap. */
export function anchorOf(state: ViewState, seq: number): AnchorRow | undefined {
  let low = 0;
  let high = newestAnchor(state)?.batch ?? -1;
  if ((anchorRow(state, high)?.to ?? 0) <= seq) return undefined;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((anchorRow(state, middle)?.to ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return anchorRow(state, low);
}
