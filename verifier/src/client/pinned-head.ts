import { equalBytes } from '@assay/core/bytes/bytes';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import type { NoteKey } from '@assay/core/log/note';
import { checkSignatures, openCheckpoint } from '../trust/checkpoint-check.ts';
import type { Environment } from '../verdict/environment.ts';
import { Findings } from '../verdict/finding.ts';
import type { Policy } from '../verdict/policy.ts';
import { NotCheckedList } from '../verdict/verdict.ts';
import { compareHeads, type Head } from '../watch/head-compare.ts';
import type { ReadTile } from '../reader/tile-proofs.ts';

/** Where the newest head that was seen is kept. The `localStorage` of a browser is one. */
export interface PinStorage {
  readonly getItem: (name: string) => string | null | Promise<string | null>;
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
}

/**
 * The newest head of one log that was seen, as its signed note. A head takes its place only where a consistency proof
 * (RFC 6962, 2.1.2) leads from the one to the other.
 */
export class PinnedHead {
  readonly #terms: HeadTerms;
  readonly #name: string;
  /** One head is compared at a time, so that two requests cannot pin two histories. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(terms: HeadTerms) {
    this.#terms = terms;
    this.#name = `assay-head/1 ${terms.vkey}`;
  }

  /** The size of the pinned head; 0 where there is none. Throws `bad_note` where what is kept is not such a head. */
  async size(): Promise<number> {
    return (await this.#kept())?.checkpoint.size ?? 0;
  }

  /**
   * Pins a head, unless it is not signed or does not continue the pinned one: then findings say so. `least` is the size
   * that was pinned before the head was asked for.
   */
  async accept(
    note: Uint8Array,
    least: number,
    findings: Findings,
  ): Promise<Checkpoint | undefined> {
    const run = this.#last.then(() => this.#accept(note, least, findings));
    this.#last = run.catch(() => undefined);
    return await run;
  }

  async #accept(
    note: Uint8Array,
    least: number,
    findings: Findings,
  ): Promise<Checkpoint | undefined> {
    const head = await this.#signed(note, findings);
    if (head === undefined) return undefined;
    const { size } = head.checkpoint;
    if (size < least) {
      findings.add('log_shrunk', 'checkpoint', `at least ${least} entries, pinned`, `${size}`);
      return undefined;
    }
    const kept = await this.#kept();
    if (kept !== undefined && !(await this.#continues(kept, head, findings))) return undefined;
    if (kept === undefined || kept.checkpoint.size < size) {
      await this.#terms.storage.setItem(this.#name, parseUtf8(note));
    }
    return head.checkpoint;
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

  async #signed(note: Uint8Array, findings: Findings): Promise<Head | undefined> {
    const { key, policy, environment, tiles } = this.#terms;
    const open = openCheckpoint(note, findings);
    if (open === undefined) return undefined;
    const before = findings.count;
    const others = new NotCheckedList();
    const good = await checkSignatures(open, key, policy, environment, findings, others);
    if (good === 0 || findings.count > before) return undefined;
    return { note, checkpoint: open.checkpoint, tiles };
  }

  /** What is kept is checked like any other head: a damaged one is an error, and never a first visit. */
  async #kept(): Promise<Head | undefined> {
    const text = await this.#terms.storage.getItem(this.#name);
    if (text === null) return undefined;
    const findings = new Findings();
    const head = await this.#signed(formatUtf8(text), findings);
    if (head !== undefined) return head;
    throw new Fault('bad_note', 'pinned head', {
      at: this.#name,
      expected: 'a signed head of this log',
      found: findings.list[0]?.found ?? 'something else',
    });
  }
}
