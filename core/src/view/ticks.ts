import type { HashHex } from '../hash/hash.ts';
import type { AssetClass } from '../terminal/tick/asset-symbol.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import type { View, ViewState } from './view.ts';

const ticksTable = (of: AssetClass): string => `ticks/${of}`;

/** What the rows keep of a tick: its entry, and the blob with its leaves. */
export interface TickRow {
  readonly seq: number;
  /** sha256 of the blob with all leaves. */
  readonly blob: HashHex;
  /** RFC 6962 root over the leaves. */
  readonly root: HashHex;
  /** Leaves. */
  readonly size: number;
}

/** Every tick of a class by its time. Where two entries have one time, the first counts. */
export const ticksView: View = {
  name: 'ticks',
  apply(entry, state) {
    if (entry.kind !== 'tick/1') return [];
    const { class: of, ts, blob, root, size } = entry.body;
    const table = ticksTable(of);
    if (state.get(table, ts) !== undefined) return [];
    const row: TickRow = { seq: entry.seq, blob, root, size };
    return [{ table, key: ts, value: wire(row) }];
  },
};

export function tickRow(state: ViewState, of: AssetClass, ts: TimeText): TickRow | undefined {
  return state.get(ticksTable(of), ts) as unknown as TickRow | undefined;
}

/** The ticks of a class, newest first. With `before`, only those before it. */
export function* ticksBack(
  state: ViewState,
  of: AssetClass,
  before?: TimeText,
): Generator<readonly [ts: TimeText, row: TickRow]> {
  for (const [ts, row] of state.descend(ticksTable(of), before)) {
    yield [ts as TimeText, row as unknown as TickRow];
  }
}

/** The time of a class's first tick. */
export function firstTick(state: ViewState, of: AssetClass): TimeText | undefined {
  for (const [ts] of state.list(ticksTable(of))) return ts as TimeText;
  return undefined;
}

/** The time of a class's newest tick. */
export function newestTick(state: ViewState, of: AssetClass): TimeText | undefined {
  for (const [ts] of ticksBack(state, of)) return ts;
  return undefined;
}
