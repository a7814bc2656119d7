import { parseHex, formatHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Fault, faultCode } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256, toHash } from '@assay/core/hash/hash';
import { formatCheckpoint } from '@assay/core/log/checkpoint';
import { verifyConsistency } from '@assay/core/log/tree';
import { type Signable, signableMessage } from '../key/report-signer.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { KeyHolder } from './key-holder.ts';
import type { SignerAnswer, SignerQuestion } from './signer-message.ts';
import type { SignerTerms } from './signer-terms.ts';
import type { SigningMemory } from './signing-memory.ts';
import { closePlace, endPlace, placeOf, printPlace } from './signing-place.ts';

export interface JudgeParts {
  readonly sha256: Sha256;
  readonly terms: SignerTerms;
  readonly memory: SigningMemory;
  readonly checkpointKey: KeyHolder;
  /** The report key in force, and those that feeds on chain may still have. */
  readonly reportKeys: readonly KeyHolder[];
}

type Checkpoint = Extract<SignerQuestion, { ask: 'checkpoint' }>;

/**
 * Decides what the keys of a log sign. What may be signed once is made durable before its signature leaves, so that
 * whoever asks for another, after any crash and from any node, is refused. What it cannot judge, which is whether a
 * number is right, others do: recounters, and everybody who verifies.
 */
export class SigningJudge {
  readonly #parts: JudgeParts;
  /** One question that changes the memory at a time. */
  readonly #turn = new Semaphore(1);

  constructor(parts: JudgeParts) {
    this.#parts = parts;
  }

  /** The answer to a question. Throws the fault with which it is refused. */
  async answer(question: SignerQuestion): Promise<SignerAnswer> {
    switch (question.ask) {
      case 'keys':
        return this.#keys();
      case 'checkpoint':
        return this.#turn.run(() => this.#checkpoint(question));
      case 'sign':
        return this.#turn.run(() => this.#sign(question.key, question.what));
      case 'report': {
        const found = await this.#parts.memory.reportAt(printPlace(question.report));
        return { give: 'report', report: found ?? null };
      }
    }
  }

  #keys(): SignerAnswer {
    const { terms, memory, reportKeys } = this.#parts;
    return {
      give: 'keys',
      log: terms.log,
      origin: terms.origin,
      checkpoint_key: terms.checkpoint_key,
      report_keys: reportKeys.map(({ publicKey }) => formatHex(publicKey)),
      size: memory.head?.size ?? 0,
    };
  }

  /**
   * Signs a head that the newest one is a part of. Throws `wrong_head` where the proof begins elsewhere than there,
   * `ledger_behind` for a smaller head, and `would_fork` for another history.
   */
  async #checkpoint({ origin, size, root, from, proof }: Checkpoint): Promise<SignerAnswer> {
    const { sha256, terms, memory, checkpointKey } = this.#parts;
    if (origin !== terms.origin) {
      throw new Fault('refused', 'checkpoint', {
        at: 'origin',
        expected: terms.origin,
        found: origin,
      });
    }
    const newest = memory.head;
    if (newest !== undefined && size < newest.size) {
      throw new Fault('ledger_behind', 'checkpoint', {
        expected: `at least ${newest.size} entries, as the signer has signed`,
        found: `${size}`,
      });
    }
    if (newest !== undefined && size === newest.size && root !== newest.root) {
      throw fork(size, newest.root, root);
    }
    if (newest !== undefined && size > newest.size) {
      if (from !== newest.size) {
        throw new Fault('wrong_head', 'checkpoint', {
          at: 'proof',
          expected: `${newest.size}`,
          found: `${from}`,
        });
      }
      const hashes = proof.map((hash) => toHash(parseHex(hash, 32)));
      const [old, next] = [newest.root, root].map((hash) => toHash(parseHex(hash, 32)));
      try {
        verifyConsistency(sha256, newest.size, size, hashes, old as never, next as never);
      } catch (error) {
        if (faultCode(error) === undefined) throw error;
        throw fork(newest.size, newest.root, 'a tree that is not shown to begin with it');
      }
    }
    if (newest?.size !== size) await memory.keepHead({ size, root });
    const text = formatCheckpoint({ origin, size, root: toHash(parseHex(root, 32)) });
    return signature(await checkpointKey.sign(formatUtf8(text)));
  }

  /** Signs with a report key. Throws `signed_otherwise` or `refused`. */
  async #sign(key: string, what: Signable): Promise<SignerAnswer> {
    const { sha256, memory, reportKeys } = this.#parts;
    const holder = reportKeys.find(({ publicKey }) => formatHex(publicKey) === key);
    if (holder === undefined) {
      throw new Fault('refused', 'report key', { expected: 'a key of this signer', found: key });
    }
    this.#requireLog(what);
    const message = signableMessage(sha256, holder.publicKey, what);
    if (what.of === 'transaction') {
      const { requireFeedTransaction } = await import('@assay/chain/client/feed-transaction');
      requireFeedTransaction(message, holder.publicKey, this.#parts.terms);
    }
    const place = placeOf(what);
    if (place !== undefined) {
      const hash = hashHex(contentHash(sha256, message));
      const signed = await memory.signedAt(place);
      if (signed !== undefined && signed !== hash) throw otherwise(place, signed, hash);
      if (signed === undefined) {
        await this.#requireInOrder(what);
        const report = what.of === 'print' ? { report: what.report } : {};
        await memory.keep([{ place, message: hash, ...report }]);
      }
    }
    return signature(await holder.sign(message));
  }

  /** Throws `refused` for anything of another log. */
  #requireLog(what: Signable): void {
    const log = logOf(what);
    if (log === undefined || log === this.#parts.terms.log) return;
    throw new Fault('refused', what.of, { at: 'log', expected: this.#parts.terms.log, found: log });
  }

  /** Throws `refused` for a print or a Close that cannot come at this place. */
  async #requireInOrder(what: Signable): Promise<void> {
    const { memory } = this.#parts;
    if (what.of === 'close' && what.version > 0) {
      const before = closePlace({ day: what.day, version: what.version - 1 });
      if ((await memory.signedAt(before)) !== undefined) return;
      throw new Fault('refused', 'Close', { expected: `version ${what.version - 1} before it` });
    }
    if (what.of !== 'print') return;
    const { report } = what;
    const ended = await memory.signedAt(endPlace(report));
    if (report.status === 'provisional' && ended !== undefined) {
      throw otherwise(endPlace(report), ended, `a provisional of ${report.period}`);
    }
    if (report.status === 'corrected' && ended === undefined) {
      throw new Fault('refused', 'print', { expected: 'a final before its correction' });
    }
  }
}

function logOf(what: Signable): HashHex | undefined {
  switch (what.of) {
    case 'print':
      return what.report.log;
    case 'close':
      return what.log;
    case 'receipt':
      return what.place.log;
    case 'endorsement':
      return what.key.log;
    case 'webhook':
    case 'transaction':
      return undefined;
  }
}

function signature(bytes: Uint8Array): SignerAnswer {
  return { give: 'signature', signature: formatHex(bytes) };
}

function fork(size: number, own: HashHex, found: string): Fault {
  const expected = `a log whose first ${size} entries have the root ${own}, which the signer has signed`;
  return new Fault('would_fork', 'checkpoint', { at: `size ${size}`, expected, found });
}

function otherwise(place: string, signed: string, found: string): Fault {
  return new Fault('signed_otherwise', 'signer', { at: place, expected: signed, found });
}
