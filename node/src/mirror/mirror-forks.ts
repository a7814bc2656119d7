import { equalBytes } from '@assay/core/bytes/bytes';
import type { ForkEvidence } from '@assay/core/proof/evidence';
import type { Sha256 } from '@assay/core/hash/hash';
import { extensionFork, olderFork } from './fork-proof.ts';
import type { HeadTiles } from './head-tiles.ts';
import type { MirrorHeads } from './mirror-heads.ts';
import { MAX_OLDER } from './mirror-rows.ts';
import type { MirrorStore } from './mirror-store.ts';
import { type MirroredNote, sharedKey } from './mirrored-note.ts';

/** How many heads others may submit between two polls. */
const MAX_BROUGHT = 16;

/** Compares heads of a log with what is known of it, and keeps those that cannot be compared yet. */
export class MirrorForks {
  readonly #sha256: Sha256;
  readonly #local: MirrorStore;
  readonly #heads: MirrorHeads;
  /** Heads of another history that others have submitted, for the next poll. */
  readonly #brought: MirroredNote[] = [];

  constructor(sha256: Sha256, local: MirrorStore, heads: MirrorHeads) {
    this.#sha256 = sha256;
    this.#local = local;
    this.#heads = heads;
  }

  /** Takes a head that somebody else has submitted, for `waiting` to compare. */
  bring(head: MirroredNote): void {
    if (this.#brought.length < MAX_BROUGHT) this.#brought.push(head);
  }

  /** Evidence that a head, which is not larger than the accepted one, has another history. */
  async older(head: MirroredNote): Promise<ForkEvidence | undefined> {
    const heads = this.#heads;
    for (const known of [heads.seen, heads.held(), ...(await heads.closingOf(head))]) {
      const key = known === undefined ? undefined : sharedKey(head, known);
      if (known === undefined || key === undefined) continue;
      if (head.checkpoint.size > known.checkpoint.size) continue;
      const found = await olderFork(this.#sha256, heads.vkeyOf(key), this.#local, head, known);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Evidence that a head, of which these are the tiles, does not extend the smaller accepted one. */
  async extension(head: MirroredNote, tiles: HeadTiles): Promise<ForkEvidence | undefined> {
    const heads = this.#heads;
    const { seen } = heads;
    const key = seen === undefined ? undefined : sharedKey(seen, head);
    if (seen === undefined || key === undefined) return undefined;
    if (head.checkpoint.size <= seen.checkpoint.size) return undefined;
    const vkey = heads.vkeyOf(key);
    return extensionFork(this.#sha256, vkey, this.#local, seen, head, tiles.hashes);
  }

  /**
   * Evidence from the heads that waited to be compared, or were submitted by others. Those that prove nothing are
   * dropped.
   */
  async waiting(): Promise<ForkEvidence | undefined> {
    for (const head of this.#brought.splice(0)) {
      const found = await this.older(head);
      if (found !== undefined) return found;
      await this.keep(head);
    }
    const { older, size } = this.#local;
    if (older.length === 0 || size < (this.#heads.seen?.checkpoint.size ?? 0)) return undefined;
    for (const bytes of older) {
      const found = await this.older(this.#heads.openStored(bytes));
      if (found !== undefined) return found;
    }
    await this.#local.keepOlder([]);
    return undefined;
  }

  /** Stores a head whose history is not known to be the one that is copied, until all of it is here. */
  async keep(head: MirroredNote): Promise<void> {
    const { older } = this.#local;
    if (head.checkpoint.size > (this.#heads.seen?.checkpoint.size ?? 0)) return;
    const own = await this.#heads.ownRoot(head.checkpoint);
    if (own !== undefined && equalBytes(own, head.checkpoint.root)) return;
    if (head.checkpoint.size === 0 || older.length >= MAX_OLDER) return;
    const isKept = older.some((each) => this.#heads.openStored(each).note.text === head.note.text);
    if (!isKept) await this.#local.keepOlder([...older, head.bytes]);
  }
}
