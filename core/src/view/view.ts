import type { KnownBody } from '../kind/kinds.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { TimeText } from '../time/time.ts';
import type { WireValue } from '../wire/wire.ts';

/**
 * A view is a pure fold of the log: `apply(entry) -> writes`. Publisher and auditor run the same functions over the
 * same entries and get the same rows, byte for byte.
 */
export interface View {
  readonly name: string;
  readonly apply: (entry: FoldedEntry, state: ViewState, sha256: Sha256) => readonly ViewWrite[];
}

/** An entry as views fold it. */
export type FoldedEntry = KnownBody & {
  readonly seq: number;
  readonly at: TimeText;
  /** Leaf hash of entry 0. */
  readonly log: HashHex;
};

/** Rows so far: by table, then by key in ascending order. */
export interface ViewState {
  readonly get: (table: string, key: string) => WireValue | undefined;
  readonly list: (table: string) => Iterable<readonly [key: string, value: WireValue]>;
  /** Rows in descending order of their keys. With `below`, only those below it. */
  readonly descend: (
    table: string,
    below?: string,
  ) => Iterable<readonly [key: string, value: WireValue]>;
}

export interface ViewWrite {
  readonly table: string;
  readonly key: string;
  readonly value: WireValue;
}
