import { equalBytes } from '@assay/core/bytes/bytes';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { leafHash } from '@assay/core/hash/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import type { NoteKey } from '@assay/core/log/note';
import { parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import { verifyInclusion } from '@assay/core/log/tree';
import { inclusionProof, type ReadTile } from '../reader/tile-proofs.ts';
import { checkSignatures, type OpenCheckpoint, openCheckpoint } from '../trust/checkpoint-check.ts';
import { trustKey } from '../trust/trust.ts';
import { checkWitnesses } from '../trust/witness-check.ts';
import type { Environment } from '../verdict/environment.ts';
import { Findings } from '../verdict/finding.ts';
import type { Policy } from '../verdict/policy.ts';
import { NotCheckedList } from '../verdict/verdict.ts';
import { compareHeads, type Head } from '../watch/head-compare.ts';

/** What is kept under a name; nothing where there is none. */
type Kept = string | null | undefined;

/** Where the newest head that was seen is kept. The `localStorage` of a browser is one. */
export interface PinStorage {
  readonly getItem: (name: string) => Kept | Promise<Kept>;
  readonly setItem: (name: string, text: string) => void | Promise<void>;
}

/** Whose head it is, and how it is checked. */
export interface HeadTerms {
  readonly key: NoteKey;
  readonly vkey: string;
  readonly policy: Policy;
  readonly environment: Environment;
  readonly tiles: ReadTile;
  readonly storage: PinStorage;
  /** The clock, in Unix seconds. */
  readonly now: () => number;
}

/** A head that was accepted, and the first entry of its log. */
export interface AcceptedHead {
  readonly checkpoint: Checkpoint;
  readonly genesis: Genesis;
}

interface SignedHead extends Head {
  readonly open: OpenCheckpoint;
}

/** What the storage has, and the head in it. */
interface StoredHead {
  readonly text: Kept;
  readonly head: SignedHead | undefined;
}

/**
 * The newest head of one log that was seen, as its signed note. A head takes its place only where a consistency proof
 * (RFC 6962, 2.1.2) leads from the one to the other, and where it has the witnesses that the policy requires.
 */
export class PinnedHead {
  readonly #terms: HeadTerms;
  readonly #name: string;
  #genesis: Genesis | undefined;
  /** The newest head that was accepted here, whatever the storage has made of it since. */
  #newest: SignedHead | undefined;
  /** One head is compared at a time, so that two requests cannot pin two histories. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(terms: HeadTerms) {
    this.#terms = terms;
    this.#name = `assay-head/1 ${terms.vkey}`;
  }

  /** The size of the pinned head; 0 where there is none. Throws `bad_note` where what is kept is not such a head. */
  async size(): Promise<number> {
    const { head } = await this.#stored();
    return Math.max(head?.checkpoint.size ?? 0, this.#newest?.checkpoint.size ?? 0);
  }

  /**
   * Pins a head, unless it is not signed, lacks witnesses or does not continue the pinned one: then findings say so.
   * `least` is the size that was pinned before the head was asked for. Throws `bad_proof` and as the tiles do where the
   * log's first entry is not shown to be in it.
   */
  async accept(
    note: Uint8Array,
    least: number,
    findings: Findings,
  ): Promise<AcceptedHead | undefined> {
    const run = this.#last.then(() => this.#accept(note, least, findings));
    this.#last = run.catch(() => undefined);
    return await run;
  }

  async #accept(
    note: Uint8Array,
    least: number,
    findings: Findings,
  ): Promise<AcceptedHead | undefined> {
    const head = await this.#signed(note, findings);
    if (head === undefined) return undefined;
    const { checkpoint } = head;
    if (checkpoint.size < least) {
      const expected = `at least ${least} entries, pinned`;
      findings.add('log_shrunk', 'checkpoint', expected, `${checkpoint.size}`);
      return undefined;
    }
    const stored = await this.#stored();
    for (const kept of [stored.head, this.#newest]) {
      if (kept !== undefined && !(await this.#continues(kept, head, findings))) return undefined;
    }
    const genesis = this.#genesis ?? (await this.#genesisOf(checkpoint, findings));
    if (genesis === undefined) return undefined;
    if (!(await this.#isWitnessed(head, genesis, findings))) return undefined;
    if (stored.head === undefined || stored.head.checkpoint.size < checkpoint.size) {
      const { storage } = this.#terms;
      const now = storage.getItem(this.#name);
      // What answers at once, such as a browser's, is not waited for: nobody else writes in between.
      const text = typeof now === 'object' && now !== null ? await now : now;
      // Another client of the storage has pinned a head meanwhile, which this one must continue too.
      if (text !== stored.text) return await this.#accept(note, least, findings);
      await storage.setItem(this.#name, parseUtf8(note));
    }
    this.#genesis = genesis;
    if (this.#newest === undefined || this.#newest.checkpoint.size < checkpoint.size) {
      this.#newest = head;
    }
    return { checkpoint, genesis };
  }

  async #continues(kept: Head, head: Head, findings: Findings): Promise<boolean> {
    const isSame =
      kept.checkpoint.size === head.checkpoint.size &&
      equalBytes(kept.checkpoint.root, head.checkpoint.root);
    if (isSame) return true;
    const { environment, vkey } = this.#terms;
    const of = { vkey, genesis: null };
    const found = await compareHeads(kept, head, of, environment.sha256);
    const place = `size ${kept.checkpoint.size}`;
    const expected = 'a log that continues the pinned head';
    switch (found.outcome) {
      case 'consistent':
        return true;
      case 'fork':
        findings.add(
          'history_changed',
          place,
          expected,
          'a head that the same key signed over others',
        );
        return false;
      case 'bad_tiles':
        findings.add('tile_differs', place, expected, found.reason);
        return false;
      case 'unknown':
        findings.add('tile_missing', place, expected, found.reason);
        return false;
    }
  }

  /** The log's first entry, which names its key, proven to be in this head; undefined with a finding where it names another. */
  async #genesisOf({ size, root }: Checkpoint, findings: Findings): Promise<Genesis | undefined> {
    const { environment, policy, tiles } = this.#terms;
    const { sha256 } = environment;
    const width = Math.min(TILE_WIDTH, size);
    const [bytes] = parseEntryBundle(await tiles({ level: 'entries', index: 0, width }), width);
    if (bytes === undefined) throw new Fault('not_found', 'entry', { expected: 'entry 0' });
    const proof = await inclusionProof(tiles, sha256, 0, size);
    verifyInclusion(sha256, leafHash(sha256, bytes), 0, size, proof, root);
    const before = findings.count;
    const trusted = trustKey(bytes, policy, undefined, environment, findings);
    return findings.count > before ? undefined : trusted?.genesis;
  }

  async #isWitnessed({ open }: SignedHead, genesis: Genesis, findings: Findings): Promise<boolean> {
    const { policy, environment, now } = this.#terms;
    const before = findings.count;
    await checkWitnesses(open, { policy, genesis, now: now() }, environment, findings);
    return findings.count === before;
  }

  async #signed(note: Uint8Array, findings: Findings): Promise<SignedHead | undefined> {
    const { key, policy, environment, tiles } = this.#terms;
    const open = openCheckpoint(note, findings);
    if (open === undefined) return undefined;
    const before = findings.count;
    const others = new NotCheckedList();
    const good = await checkSignatures(open, key, policy, environment, findings, others);
    if (good === 0 || findings.count > before) return undefined;
    return { note, checkpoint: open.checkpoint, tiles, open };
  }

  /**
   * What is kept is checked like any other head, but for its witnesses, whose lines grow old: a damaged one is an
   * error, and never a first visit.
   */
  async #stored(): Promise<StoredHead> {
    const text = await this.#terms.storage.getItem(this.#name);
    if (text == null) return { text, head: undefined };
    const findings = new Findings();
    const head = await this.#signed(formatUtf8(text), findings);
    if (head !== undefined) return { text, head };
    throw new Fault('bad_note', 'pinned head', {
      at: this.#name,
      expected: 'a signed head of this log',
      found: findings.list[0]?.found ?? 'something else',
    });
  }
}
