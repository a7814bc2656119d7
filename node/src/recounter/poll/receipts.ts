import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OmissionEvidence } from '@assay/core/proof/evidence';
import { Fault, messageOf } from '@assay/core/fault';
import {
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  toHash,
  toHashHex,
} from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { NoteKey } from '@assay/core/log/note';
import {
  array,
  hashHex as hashText,
  isObject,
  object,
  type Parse,
  string,
  time,
} from '@assay/core/wire/schema';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { verifyInclusion } from '@assay/core/log/tree';
import { formatWire, parseWire, type WireValue } from '@assay/core/wire/wire';
import { ensureFolder, errorCode, writeDurable } from '../../platform/durable-file.ts';
import type { LogMirror } from '../../mirror/log-mirror.ts';
import { openMirrored, saidCheckpoint } from '../../mirror/mirrored-note.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import { declaredLoss } from './declared-loss.ts';
import type { FindingStore } from '../finding-store.ts';
import { newEntries } from './followed-log.ts';
import { type CopyOfReceipts, leftOut } from './left-out.ts';

/** What the publisher signed when it accepted a statement. Its log must continue from there. */
export interface Receipt extends ReceiptProof {
  /** The hash of the report that the statement is about. */
  readonly report: HashHex;
  readonly at: TimeText;
}

/** The proof that an entry is in a signed tree. */
export interface ReceiptProof {
  /** The leaf hash of the entry that holds the statement. */
  readonly leaf: HashHex;
  /** Its C2SP tlog-proof@v1. */
  readonly proof: string;
}

/** How many receipts are stored: those of statements whose head the copy has not reached. */
export const MAX_RECEIPTS = 256;
/** Seconds after which a head that was signed in a receipt but is not shown is a finding. */
const UNMET_S = 86_400;

const parseReceipts: Parse<readonly Receipt[]> = array(
  object<Receipt>({ report: hashText, at: time, leaf: hashText, proof: string(1, 131_072) }),
  0,
  MAX_RECEIPTS,
);

export interface ReceiptsPoll {
  readonly mirror: Pick<LogMirror, 'objection'> & CopyOfReceipts;
  readonly sha256: Sha256;
  readonly findings: Pick<FindingStore, 'has' | 'hold' | 'end'>;
  /** Stores evidence as a finding on the report that the statement is about. */
  readonly onOmission: (report: HashHex, evidence: OmissionEvidence, says: string) => Promise<void>;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * The proofs in the publisher's answers to statements, stored until the copy of its log has reached their
 * heads. A head of another history than the log then shows is evidence of a fork. A log that stays smaller than
 * the head and has another entry in the statement's place is evidence of an omission: a fork cannot be proven
 * then, because that takes the tree of the head, of which nobody has more than the one proof.
 */
export class Receipts {
  readonly #path: string | null;
  readonly #sync: boolean;
  /** Several statements are sent at once, and while the copy grows. */
  readonly #semaphore = new Semaphore(1);
  #held: readonly Receipt[];

  private constructor(path: string | null, held: readonly Receipt[], sync: boolean) {
    this.#path = path;
    this.#sync = sync;
    this.#held = held;
  }

  /**
   * In a file; without a path they end with the process, and without `sync` a power failure may undo the last writes.
   * Throws `ledger_corrupt` for an invalid file.
   */
  static async open(
    path: string | null,
    { sync = true }: { readonly sync?: boolean } = {},
  ): Promise<Receipts> {
    if (path === null) return new Receipts(null, [], sync);
    try {
      const held = parseReceipts(parseWire(await readFile(path)), 'receipts');
      return new Receipts(path, held, sync);
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return new Receipts(path, [], sync);
      if (!(cause instanceof Fault)) throw storageFault(cause, 'receipts');
      throw new Fault('ledger_corrupt', 'receipts', { at: path, found: messageOf(cause), cause });
    }
  }

  get held(): readonly Receipt[] {
    return this.#held;
  }

  /** Stores the first of each report; durable when it resolves. If there are too many, the oldest stay. */
  keep(receipt: Receipt): Promise<void> {
    return this.#semaphore.run(async () => {
      const isKnown = this.#held.some(({ report }) => report === receipt.report);
      if (isKnown || this.#held.length >= MAX_RECEIPTS) return;
      await this.#write([...this.#held, receipt]);
    });
  }

  /**
   * Compares what is stored with the copy. If another entry is in the place, the evidence is passed to
   * `onOmission`. A head in the history of the copy is dropped; one of another history is passed to the copy,
   * which makes the evidence at its next poll; one that is not shown for a day is a finding.
   */
  poll(poll: ReceiptsPoll): Promise<void> {
    return this.#semaphore.run(() => this.#poll(poll));
  }

  async #poll(poll: ReceiptsPoll): Promise<void> {
    const { mirror, findings, now } = poll;
    const left: Receipt[] = [];
    for (const receipt of this.#held) {
      await lookForEntry(receipt, poll);
      const bytes = parseTlogProof(receipt.proof).checkpoint;
      const { size } = saidCheckpoint(bytes);
      if (size <= mirror.size) {
        if ((await mirror.objection(bytes)) !== undefined) left.push(receipt);
        else await findings.end('receipt_unmet', receipt.report, formatTime(now));
        continue;
      }
      left.push(receipt);
      if (now - parseTime(receipt.at) < UNMET_S) continue;
      const says =
        `The publisher signed a head of ${size} entries when it accepted the statement on the report ${receipt.report}, ` +
        `and shows ${mirror.size} a day later.`;
      await findings.hold({ code: 'receipt_unmet', about: receipt.report, says }, formatTime(now));
    }
    if (left.length < this.#held.length) await this.#write(left);
  }

  async #write(held: readonly Receipt[]): Promise<void> {
    if (this.#path !== null) {
      await ensureFolder(dirname(this.#path), { mode: 0o700 });
      await writeDurable(this.#path, formatWire(held), { mode: 0o600, sync: this.#sync });
    }
    this.#held = held;
  }
}

async function lookForEntry(
  { report, leaf, proof }: Receipt,
  { mirror, sha256, findings, onOmission }: ReceiptsPoll,
): Promise<void> {
  if (findings.has('omission', report)) return;
  const omission = await leftOut(sha256, mirror, { leaf, proof });
  if (omission === undefined) return;
  const { index } = parseTlogProof(proof);
  const says =
    `The publisher signed that the statement on the report ${report} is entry ${index}, ` +
    'and a tree of its log with another entry there.';
  const loss = await declaredLoss(mirror, index);
  const beside =
    loss === undefined
      ? ''
      : ` Entry ${loss.from} of that log is a note which says that entries from there on were lost before a restore.`;
  await onOmission(report, omission, `${says}${beside}`);
}

/**
 * The proof in the publisher's answer to a statement, if it is valid for the entry that the answer names;
 * undefined if there is no such proof. `keyOf` gives the log's checkpoint key for a head of a size.
 */
export function receiptIn(
  sha256: Sha256,
  keyOf: (size: number) => NoteKey,
  answer: unknown,
): ReceiptProof | undefined {
  try {
    const { entry, proof } = answer as { readonly entry: WireValue; readonly proof: unknown };
    if (!isObject(entry) || typeof proof !== 'string') return undefined;
    const { seq, leaf } = entry as { readonly seq: unknown; readonly leaf: unknown };
    const { index, hashes, checkpoint } = parseTlogProof(proof);
    const { size, root } = openMirrored(
      keyOf(saidCheckpoint(checkpoint).size),
      checkpoint,
    ).checkpoint;
    if (typeof leaf !== 'string' || seq !== index) return undefined;
    verifyInclusion(sha256, toHash(parseHex(leaf, 32)), index, size, hashes, root);
    return { leaf: toHashHex(leaf), proof };
  } catch (error) {
    if (error instanceof Fault || error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Whether a receipt is of an entry that the copy of the log holds and that is not a statement of this key on
 * the report, because any entry of a log has a proof. Undefined for one that the copy has not reached.
 */
export async function isOfAnother(
  sha256: Sha256,
  mirror: Pick<LogMirror, 'entry'>,
  { leaf, proof }: ReceiptProof,
  { report, key }: { readonly report: HashHex; readonly key: string },
): Promise<boolean> {
  const { index } = parseTlogProof(proof);
  const entry = await mirror.entry(index);
  if (entry === undefined || hashHex(leafHash(sha256, entry)) !== leaf) return false;
  const { words } = await newEntries(mirror, index, index + 1);
  return !words.some((word) => word.report === report && word.cosigner === key);
}

/** Makes a receipt with the current time. */
export function receiptOf(report: HashHex, proven: ReceiptProof, now: number): Receipt {
  return { report, at: formatTime(now), ...proven };
}
