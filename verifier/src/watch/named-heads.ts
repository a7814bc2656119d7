import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { prefixRoots } from '@assay/core/log/prefix-proof';
import { statements } from '@assay/core/view/statements';
import type { ViewState } from '@assay/core/view/view';
import { prefixProof, type ReadTile } from '../reader/tile-proofs.ts';
import { type WatchFinding, watchFinding } from './watch-finding.ts';

/** A publisher's log as it was followed, and its tiles. */
export interface FollowedTree {
  readonly log: HashHex;
  readonly size: number;
  /** The root hash of its entries. */
  readonly root: Hash;
  readonly tiles: ReadTile;
}

/** A co-signer's log, followed and folded; `name` is its name in findings. */
export interface NamingLog {
  readonly state: ViewState;
  readonly name: string;
}

/** How many trees are looked up in one poll, for the newest statements first. */
const MAX_LOOKED_UP = 256;

/**
 * Compares the heads that co-signers name in their own logs (`head` of a statement) with the publisher's tree of the
 * same size. The root of a size is looked up once.
 */
export class NamedHeads {
  /** Roots of the publisher's tree by size, each checked against the followed root. */
  readonly #roots = new Map<number, HashHex>();

  /** Throws the errors of `tiles`, and `bad_length` for tiles that do not lead to the publisher's root. */
  async check(
    { log, size, root, tiles }: FollowedTree,
    { state, name }: NamingLog,
    sha256: Sha256,
  ): Promise<readonly WatchFinding[]> {
    const findings: WatchFinding[] = [];
    let lookedUp = 0;
    for (const { seq, statement } of [...statements(state)].toReversed()) {
      const { head } = statement;
      // A head larger than was followed is reported where its report is looked up.
      if (statement.log !== log || head.size > size) continue;
      let known = head.size === size ? hashHex(root) : this.#roots.get(head.size);
      if (known === undefined) {
        if (lookedUp === MAX_LOOKED_UP) continue;
        lookedUp += 1;
        const proof = await prefixProof(tiles, sha256, head.size, size);
        const roots = prefixRoots(sha256, head.size, size, proof);
        if (!equalBytes(roots.new, root)) {
          throw new Fault('bad_length', 'hash tiles', {
            expected: `tiles of the root ${hashHex(root)}`,
            found: hashHex(roots.new),
          });
        }
        known = hashHex(roots.old);
      }
      this.#roots.set(head.size, known);
      if (known === head.root) continue;
      const expected = `the head of ${head.size} entries that the publisher shows: ${known}`;
      const place = `${name}, entry ${seq}, head`;
      findings.push(watchFinding('history_differs', place, expected, head.root));
    }
    return findings;
  }
}
