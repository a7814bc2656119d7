import { equalBytes } from '@assay/core/bytes/bytes';
import { formatEntry, parseEntry } from '@assay/core/log/entry';
import { Fault, messageOf } from '@assay/core/fault';
import { type HashHex, hashHex, leafHash, type Sha256, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { TileTree } from '@assay/core/log/tile-tree';
import { formatTime } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import type { EntryDraft } from '../../ledger/ledger.ts';
import type { LedgerStore } from '../../ledger/store/store.ts';

/** Compares the entries that a ledger has already with those that it should have. */
export class HeldEntries {
  readonly #sha256: Sha256;
  readonly #size: number;
  readonly #entries: AsyncIterator<Uint8Array>;
  readonly #tree: TileTree;
  #prev: HashHex = ZERO_HASH_HEX;

  /** `size` is the number of entries that the store has. */
  constructor(sha256: Sha256, store: LedgerStore, size: number) {
    this.#sha256 = sha256;
    this.#tree = new TileTree(sha256);
    this.#size = size;
    this.#entries = store.entries(0, size)[Symbol.asyncIterator]();
  }

  /** How many entries have been compared with a draft so far. */
  get seq(): number {
    return this.#tree.size;
  }

  /** The root of these entries. */
  get root(): HashHex {
    return hashHex(this.#tree.root());
  }

  /**
   * Compares the next drafts, written at `at` (unix seconds), with what is there. Returns those after its end.
   * Throws `replay_differs` at the first entry with other bytes.
   */
  async match(drafts: readonly EntryDraft[], at: number): Promise<readonly EntryDraft[]> {
    let matched = 0;
    for (; matched < drafts.length && this.seq < this.#size; matched += 1) {
      const { kind, body } = drafts[matched] as EntryDraft;
      const [seq, prev] = [this.seq, this.#prev];

      const bytes = formatEntry({ v: 1, seq, prev, at: formatTime(at), kind, body: wire(body) });
      const { value } = await this.#entries.next();
      const held = value as Uint8Array | undefined;
      if (held === undefined || !equalBytes(held, bytes)) {
        throw new Fault('replay_differs', 'ledger', {
          at: `entry ${seq}`,
          expected: `${kind} of ${formatTime(at)} as these files give it`,
          found: held === undefined ? 'none' : textOf(held),
        });
      }
      const leaf = leafHash(this.#sha256, bytes);
      this.#prev = hashHex(leaf);
      this.#tree.append(leaf);
    }
    return drafts.slice(matched);
  }

  async close(): Promise<void> {
    await this.#entries.return?.();
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    const { kind, at } = parseEntry(bytes);
    return `another entry, ${kind} of ${at}`;
  } catch (error) {
    return messageOf(error);
  }
}
