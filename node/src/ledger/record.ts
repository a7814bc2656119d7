import type { Fault } from '@assay/core/fault';
import type { Tile } from '@assay/core/log/tile';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import type { ProofProgress } from './derived/proof.ts';
import type { Published } from './publishing.ts';

/** The tables of the rows that a publication changed; `all` where nobody has listed them, because all rows are others. */
export type ChangedTables = ReadonlySet<string> | 'all';

/** What readers are shown of a log. A ledger is such a record. */
export interface LogRecord {
  /** The newest checkpoint; undefined while there is none to read. */
  readonly published: Published | undefined;
  /** Rows of the published size. */
  readonly shown: ViewState;
  /** Why nothing is written; undefined while entries are accepted. */
  readonly blocked: Fault | undefined;
  /** Why nothing new is begun although entries are accepted. Whoever caused it reports it. */
  readonly held?: Fault | undefined;
  /**
   * How many of the entries that its rows follow from have been read again; absent for a record of somebody
   * else.
   */
  readonly proof?: ProofProgress;
  /** The bytes of a tile or bundle; undefined if the log has none. */
  readonly tile: (tile: Tile) => Promise<Uint8Array | undefined>;
  /** The closing head of a checkpoint key that has ended; undefined for any other. Absent for a record that keeps none. */
  readonly closingHead?: (number: number) => Promise<Uint8Array | undefined>;
}

/** A record that cannot be read, and why. */
export function unreadableRecord(reason: Fault): LogRecord {
  return {
    published: undefined,
    shown: new MemoryViews(),
    blocked: reason,
    tile: () => Promise.resolve(undefined),
  };
}
