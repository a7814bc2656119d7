import { equalBytes } from '@assay/core/bytes/bytes';
import type { ForkEvidence } from '@assay/core/proof/evidence';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';
import {
  type CheckpointTerm,
  MAX_CLOSING_LAG,
  promisedCheckpointKey,
} from '@assay/core/view/key/checkpoint-keys';
import type { ClosingPlace } from './closing-place.ts';
import { endOf, type EntryReader } from './entry-chain.ts';
import { extensionFork } from './fork-proof.ts';
import { newBundles } from './head-bundles.ts';
import { KeyRows } from './key-rows.ts';
import { requireStored } from './log-differs.ts';
import type { MirrorForks } from './mirror-forks.ts';
import type { MirrorHeads } from './mirror-heads.ts';
import type { MirrorStore } from './mirror-store.ts';
import { type MirroredNote, openSigned, saidCheckpoint } from './mirrored-note.ts';
import type { ServedLog } from './served-log.ts';

/** The most closing heads that are asked for to find the one that a key of an unknown number has signed. */
const MAX_CLOSING = 1024;

/** A head to go to in one step. */
export interface Target {
  readonly head: MirroredNote;
  /** The note as it was served. */
  readonly given: Uint8Array;
  /** Whether it is the newest head of the server, and not one on the way there. */
  readonly isNewest: boolean;
}

export interface HeadPathOptions {
  readonly sha256: Sha256;
  /** A checkpoint key of the log, whose name is the log's origin: any that was ever in force. */
  readonly key: NoteKey;
  readonly served: ServedLog;
  readonly local: MirrorStore;
  readonly heads: MirrorHeads;
  readonly forks: MirrorForks;
  readonly readEntry: EntryReader;
  /** Where the closing heads of the keys that ended are kept. */
  readonly closing: ClosingPlace;
  /** The number of entries of the newest head whose entries are all here. */
  readonly size: () => number;
}

/**
 * The way to a new head over the checkpoint keys of a log, as the spec's page on checkpoint keys says: each next key was
 * promised under a head that is believed already.
 */
export class HeadPath {
  readonly #options: HeadPathOptions;

  constructor(options: HeadPathOptions) {
    this.#options = options;
  }

  /**
   * What the way to the newest head, which is `given`, begins with: the head itself where a key that is believed signs
   * it. Otherwise what is accepted and not yet here, then the closing head of the key in force, and then the head under
   * which the next key comes. Resolves with the evidence where one of these is of another history. Throws `bad_note` for
   * a head to which no key leads.
   */
  async target(given: Uint8Array, signal?: AbortSignal): Promise<Target | ForkEvidence> {
    const { heads, forks, served } = this.#options;
    const newest = heads.signed(given);
    if (newest !== undefined) return { head: newest, given, isNewest: true };
    const { seen } = heads;
    const { size } = saidCheckpoint(given);
    const { terms } = heads.keys;
    const force = terms.at(-1);
    if (force !== undefined && size <= force.above) throw heads.unsigned(size);
    const beyond = await this.#beyond(given, signal);
    if (beyond !== undefined) return beyond;
    if (seen !== undefined && this.#options.size() < seen.checkpoint.size) {
      return { head: seen, given: seen.bytes, isNewest: false };
    }
    const closing =
      force === undefined
        ? await this.#firstClosing(signal)
        : await served.closingHead(force.number, signal);
    const head = closing === undefined ? undefined : heads.openGiven(closing);
    if (closing !== undefined && head !== undefined) {
      const isNext = seen === undefined || head.checkpoint.size > seen.checkpoint.size;
      if (isNext) return { head, given: closing, isNewest: false };
      const evidence = await forks.older(head);
      if (evidence !== undefined) return evidence;
    }
    return this.#nextKey(given, signal);
  }

  /**
   * Keeps the closing heads of the keys that ended, as far as the server has them and they are of what is here. Resolves
   * with the evidence where one is of another history.
   */
  async keepClosing(signal?: AbortSignal): Promise<ForkEvidence | undefined> {
    const { closing, heads, forks, local, sha256 } = this.#options;
    const { terms } = heads.keys;
    for (const { number, vkey, last_size: last } of terms) {
      const next = terms[number + 1];
      const promised = next?.promised_by ?? null;
      if (next === undefined || last === null || promised === null) continue;
      if ((await closing.read(number)) !== undefined) continue;
      // Of a rotation it is the handover head, with the lines of both keys, and no earlier one.
      const rotates = next.cause === 'rotation';
      const keys = (rotates ? [vkey, next.vkey] : [vkey]).map((each) => parseNoteKey(sha256, each));
      const head = await this.#servedClosing(number, keys, signal);
      if (head === undefined) continue;
      const { size, root } = head.checkpoint;
      if (size > last || size <= promised || (rotates && size < last)) continue;
      const evidence = await forks.older(head);
      if (evidence !== undefined) return evidence;
      if (!equalBytes(await local.rootAt(size), root)) continue;
      await closing.keep(number, head.bytes);
    }
    return undefined;
  }

  /** The head that brings the next key and is signed by it: the closing head of that key, or else the newest. */
  async #nextKey(newest: Uint8Array, signal: AbortSignal | undefined): Promise<Target> {
    const { heads, local, served, key } = this.#options;
    const { size: said } = saidCheckpoint(newest);
    const force = heads.keys.terms.at(-1);
    if (force === undefined) throw heads.unsigned(said);
    const number = force.number + 1;
    if (promisedCheckpointKey(local.tip, number) === undefined) throw heads.unsigned(said);
    const closing = await served.closingHead(number, signal);
    const given = closing ?? newest;
    const { origin, size } = saidCheckpoint(given);
    if (origin !== key.name || size <= this.#options.size()) throw heads.unsigned(said);
    const found = await this.#keyUnder(given, number, signal);
    const [own, ...also] = found === undefined ? [] : heads.keys.among(found.terms, size);
    if (found === undefined || own === undefined) throw heads.unsigned(said);
    const head = heads.openBy([own, ...also], given);
    await local.keepLearned(found.term);
    heads.keys.learn(found.term);
    return { head, given, isNewest: closing === undefined };
  }

  /**
   * Checkpoint key `number`, as the next entries under a head bring it, with the terms up to it; undefined where they do
   * not. Nothing of them is stored.
   */
  async #keyUnder(
    given: Uint8Array,
    number: number,
    signal: AbortSignal | undefined,
  ): Promise<
    { readonly term: CheckpointTerm; readonly terms: readonly CheckpointTerm[] } | undefined
  > {
    const { sha256, local, served, readEntry } = this.#options;
    const checkpoint = saidCheckpoint(given);
    const tiles = await served.tilesOf(checkpoint, signal);
    await requireStored(sha256, local, tiles);
    const keys = new KeyRows(sha256, local.tip, local.log);
    const read = served.tileReader(signal);
    const start = local.size;
    let chain = local.end;
    for await (const entries of newBundles(sha256, read, tiles, start, checkpoint.size)) {
      for (const { leaf, entry } of entries) {
        if (chain.size - start > MAX_CLOSING_LAG) return undefined;
        const next = readEntry(chain, entry, leaf);
        chain = endOf(next);
        const { terms } = keys.take(next) ? keys : { terms: [] };
        const term = terms.at(-1);
        if (term?.number === number) return { term, terms };
      }
    }
    return undefined;
  }

  /**
   * Evidence that a key that ended has signed a head which it may not sign, and which does not extend the closing head
   * of it. Throws `bad_note` for such a head without this evidence; undefined for a head of no key that ended.
   */
  async #beyond(
    given: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<ForkEvidence | undefined> {
    const { sha256, heads, local, served } = this.#options;
    const { size } = saidCheckpoint(given);
    for (const { number, vkey, last_size: last } of heads.keys.terms) {
      if (last === null || size <= last) continue;
      const head = openSigned(parseNoteKey(sha256, vkey), given);
      const note = head === undefined ? undefined : await heads.closingHead(number);
      if (head === undefined) continue;
      const evidence =
        note === undefined
          ? undefined
          : await extensionFork(
              sha256,
              vkey,
              local,
              heads.openGiven(note),
              head,
              (await served.tilesOf(head.checkpoint, signal)).hashes,
            );
      if (evidence === undefined) throw heads.unsigned(size);
      return evidence;
    }
    return undefined;
  }

  /** The closing head that the given key has signed, while its number is not known; undefined if there is none. */
  async #firstClosing(signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const { served, key } = this.#options;
    for (let number = 0; number < MAX_CLOSING; number += 1) {
      const note = await served.closingHead(number, signal);
      if (note === undefined) return undefined;
      if (openSigned(key, note) !== undefined) return note;
    }
    return undefined;
  }

  /** The closing head of a key as the server has it; undefined where it has none that all of `keys` have signed. */
  async #servedClosing(
    number: number,
    keys: readonly NoteKey[],
    signal: AbortSignal | undefined,
  ): Promise<MirroredNote | undefined> {
    const { heads, served } = this.#options;
    try {
      const given = await served.closingHead(number, signal);
      if (given === undefined) return undefined;
      const head = heads.signed(given);
      const isSigned = keys.every((key) => head?.keys.some(({ keyId }) => keyId === key.keyId));
      return isSigned ? head : undefined;
    } catch (error) {
      // What is here does not depend on it, and the next poll asks again.
      if (error instanceof Fault) return undefined;
      throw error;
    }
  }
}
