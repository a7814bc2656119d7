import { type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { CheckpointSigner } from '../../ledger/checkpoint-signer.ts';
import type { HeadGuard } from '../../ledger/guard/head-guard.ts';
import type { LastSigned } from '../../ledger/guard/last-signed.ts';
import { type EntryDraft, Ledger } from '../../ledger/ledger.ts';
import type { LedgerStore } from '../../ledger/store/store.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { HeldEntries } from './held-entries.ts';
import type { ReplayStep } from './replay-steps.ts';

/** Where a replay is written. */
export interface ReplayPlace {
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  readonly signed?: LastSigned;
  readonly signer: CheckpointSigner;
  readonly blobs: Pick<BlobStore, 'put'>;
}

export interface ReplayEnd {
  readonly log: HashHex;
  /** The number of entries of the log, and its root. */
  readonly size: number;
  readonly root: HashHex;
  /**
   * The number of entries that this replay gave, and their root: fewer than the log has if it continues after
   * them.
   */
  readonly entries: number;
  readonly entriesRoot: HashHex;
  /** How many of these are new. */
  readonly appended: number;
}

/** How many entries wait for a commit before the next are made. */
const GROUP = 1024;

/**
 * Writes the steps of a replay into a ledger, or the rest of them if it has the first already: each of those is
 * computed again and compared with the entry that is there. Blobs are stored before the entry that names them,
 * also for existing entries, so that one that was lost comes back. It closes the place.
 *
 * A process that is killed anywhere leaves the beginning of the same log. Throws `replay_differs` if the ledger
 * has another entry, `storage_failed`, and what the ledger throws.
 */
export async function writeReplay(
  place: ReplayPlace,
  sha256: Sha256,
  steps: AsyncIterable<ReplayStep>,
  onStep: (step: ReplayStep) => void = () => undefined,
): Promise<ReplayEnd> {
  const { store, blobs } = place;
  let at = 0;
  const ledger = await Ledger.open({ ...place, sha256, now: () => at, askHeads: null });
  const before = ledger.nextSeq;
  const held = new HeldEntries(sha256, store, before);
  const commits = new Commits(ledger);
  let entries = 0;
  try {
    for await (const step of steps) {
      for (const blob of step.blobs) await blobs.put(blob);
      ({ at } = step);
      const rest = await held.match(step.drafts, at);
      if (rest.length > 0) await commits.append(rest);
      entries += step.drafts.length;
      onStep(step);
    }
    await commits.settle();
    const { published, log } = ledger;
    if (published === undefined || log === undefined) {
      throw new TypeError('writeReplay: steps without a first entry');
    }
    const { size, root } = published;
    const appended = Math.max(0, entries - before);
    // If the log continues, all of them were compared.
    const entriesRoot = entries < size ? held.root : hashHex(root);
    return { log, size, root: hashHex(root), entries, entriesRoot, appended };
  } catch (error) {
    throw storageFault(error, 'data folder');
  } finally {
    await held.close();
    await ledger.close();
  }
}

/** Appends that are under way: one group is committed while the next is made. */
class Commits {
  readonly #ledger: Ledger;
  #before: Promise<unknown> = Promise.resolve();
  #group: Promise<unknown>[] = [];
  #entries = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Resolves when more may come. Throws what an earlier append threw. */
  async append(drafts: readonly EntryDraft[]): Promise<void> {
    const isGenesis = this.#ledger.nextSeq === 0;
    const appended = this.#ledger.write(() => drafts);
    // Whoever waits for it receives the rejection, which must not be unhandled until then.
    appended.catch(() => undefined);
    this.#group.push(appended);
    this.#entries += drafts.length;
    // The first head is of entry 0 alone, because a start without a head accepts no more.
    if (isGenesis) await this.settle();
    if (this.#entries < GROUP) return;
    const group = Promise.all(this.#group);
    group.catch(() => undefined);
    this.#group = [];
    this.#entries = 0;
    await this.#before;
    this.#before = group;
  }

  async settle(): Promise<void> {
    await this.#before;
    await Promise.all(this.#group);
    this.#group = [];
    this.#entries = 0;
  }
}
