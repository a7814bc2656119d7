import type { Fault } from '@assay/core/fault';
import type { Tile } from '@assay/core/log/tile';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import type { ProofProgress } from './proof.ts';
import type { Published } from './publishing.ts';

/** What readers are shown of a log. A ledger is one. */
export interface LogRecord {
  /** The newest checkpoint; undefined while there is none to read. */
  readonly published: Published | undefined;
  /** Rows of the published size. */
  readonly shown: ViewState;
  /** Why nothing is written; undefined while entries are taken. */
  readonly blocked: Fault | undefined;
  /** Why nothing new is begun, though entries are taken: whoever asked for that says so for itself. */
  readonly held?: Fault | undefined;
  /** How far the entries that its rows follow from have been read again; not told of a record that is not one's own. */
  readonly proof?: ProofProgress;
  /** The bytes of a tile or bundle; undefined where the log has none such. */
  readonly tile: (tile: Tile) => Promise<Uint8Array | undefined>;
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
