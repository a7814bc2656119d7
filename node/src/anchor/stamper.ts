import { anchorTree } from '@assay/core/anchor';
import { scanEntry } from '@assay/core/entry';
import { Fault } from '@assay/core/fault';
import { hashHex, type HashHex } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import { type Anchor, MAX_ANCHOR_LAG } from '@assay/core/kind/anchor';
import { calendarsOf } from '@assay/core/ots/calendars';
import { mergeTimestamps } from '@assay/core/ots/merge';
import { formatTimestamp, parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { newestAnchor } from '@assay/core/view/anchors';
import { logRow } from '@assay/core/view/log';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';
import { answerBytes, openAnswer, type OpenBatch } from './open-batch.ts';

/** Kinds that ask for no stamp of their own making: they would call for one another for ever. */
const QUIET: ReadonlySet<string> = new Set(['anchor/1', 'beacon/1']);

const TIP_BYTES = 32;

/**
 * Makes batches: at most one at a time is out with the calendars, and it is recorded when enough of
 * them hold it. What was sent out is kept over a restart before it is sent.
 */
export class Stamper {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  #open: OpenBatch | undefined;
  #loaded = false;
  /** When the last batch was begun, by the node's clock. */
  #begun = Number.NEGATIVE_INFINITY;
  /** Up to here there is nothing new. */
  #quietTo = 0;
  /** Tries of the open batch so far, and when the next one is due. */
  #tries = 0;
  #nextTry = Number.NEGATIVE_INFINITY;

  constructor(parts: AnchorParts, events: AnchorEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Begins a batch where one is due, or asks again for the one that is out. */
  async look(): Promise<void> {
    const { ledger, calendars, now, timing } = this.#parts;
    if (calendars === undefined || ledger.blocked !== undefined) return;
    await this.#load();
    if (this.#open !== undefined && !this.#fits(this.#open)) await this.#forget();
    if (this.#open === undefined) {
      if (now() < this.#begun + timing.stampEveryS || !(await this.#hasNews())) return;
      await this.#begin();
    }
    if (now() < this.#nextTry) return;
    await this.#submit();
  }

  async #load(): Promise<void> {
    if (this.#loaded) return;
    const kept = await this.#parts.openBatch.get();
    this.#loaded = true;
    if (kept === undefined) return;
    if (this.#fits(kept) && this.#tipOf(kept) === kept.tip) this.#open = kept;
    else await this.#parts.openBatch.set(undefined);
  }

  /** Whether a batch can still be recorded: it goes on from the newest, and its checkpoint is recent. */
  #fits({ from, to }: OpenBatch): boolean {
    const { ledger } = this.#parts;
    const size = ledger.published?.size ?? 0;
    return (
      from === (newestAnchor(ledger.tip)?.to ?? 0) &&
      to <= size &&
      // Room for what is appended while the calendars answer.
      ledger.nextSeq - to <= MAX_ANCHOR_LAG / 2
    );
  }

  async #forget(): Promise<void> {
    this.#open = undefined;
    await this.#parts.openBatch.set(undefined);
  }

  /** Whether there is an entry that a batch is made for. */
  async #hasNews(): Promise<boolean> {
    const { ledger } = this.#parts;
    const size = ledger.published?.size ?? 0;
    const from = newestAnchor(ledger.tip)?.to ?? 0;
    for (let seq = Math.max(from, this.#quietTo); seq < size; seq += 1) {
      const bytes = await ledger.entry(seq);
      if (bytes === undefined) throw new Fault('ledger_corrupt', 'entry', { at: `seq ${seq}` });
      if (!QUIET.has(scanEntry(bytes).kind)) return true;
      this.#quietTo = seq + 1;
    }
    return false;
  }

  async #begin(): Promise<void> {
    const { ledger, openBatch, random, now } = this.#parts;
    const { published } = ledger;
    if (published === undefined) return;
    const salt = formatHex(random(32));
    const from = newestAnchor(ledger.tip)?.to ?? 0;
    const range = { from, to: published.size, root: hashHex(published.root), salt };
    const batch = { ...range, tip: this.#tipOf(range), answers: [] };
    await openBatch.set(batch);
    this.#open = batch;
    this.#begun = now();
    this.#tries = 0;
    this.#nextTry = now();
  }

  #tipOf(range: Pick<OpenBatch, 'from' | 'to' | 'root' | 'salt'>): HashHex {
    const { ledger, sha256 } = this.#parts;
    const origin = logRow(ledger.tip)?.origin ?? '';
    return hashHex(anchorTree(ledger.tip, sha256, origin, range).tree.tip);
  }

  /** Asks the whole pool; what it answers is kept, and recorded once there is enough of it. */
  async #submit(): Promise<void> {
    const { calendars, openBatch, now, timing } = this.#parts;
    const batch = this.#open;
    if (batch === undefined || calendars === undefined) return;
    const { answers, failures } = await calendars.submit(parseHex(batch.tip, TIP_BYTES));
    for (const { calendar, reason } of failures) this.#events.onTrouble(calendar, reason);
    const known = new Map(batch.answers.map((answer) => [answer.calendar, answer]));
    for (const { calendar, timestamp } of answers) {
      // A calendar that has answered once holds the tip since then.
      if (!known.has(calendar)) {
        known.set(calendar, openAnswer(calendar, formatTimestamp(timestamp)));
      }
    }
    this.#open = { ...batch, answers: [...known.values()] };
    await openBatch.set(this.#open);
    const tree = merged(this.#open);
    const held = tree === undefined ? [] : calendarsOf(tree);
    if (tree !== undefined && held.length >= timing.required) {
      await this.#record(this.#open, tree);
      return;
    }
    this.#tries += 1;
    const wait = Math.min(timing.stampEveryS, (timing.stampEveryS / 20) * 2 ** this.#tries);
    this.#nextTry = now() + wait;
    this.#events.onTrouble(
      'stamp',
      `${held.length} of ${timing.required} calendars that it needs hold the batch`,
    );
  }

  async #record(batch: OpenBatch, tree: Timestamp): Promise<void> {
    const { ledger, blobs } = this.#parts;
    const proof = await blobs.put(formatTimestamp(tree));
    if (!this.#fits(batch)) {
      await this.#forget();
      return;
    }
    const { from, to, root, salt, tip } = batch;
    const uris = calendarsOf(tree).map(({ uri }) => uri);
    const anchor: Anchor = {
      batch: (newestAnchor(ledger.tip)?.batch ?? -1) + 1,
      issue: 0,
      from,
      to,
      root,
      salt,
      tip,
      stamped_at: ledger.nextAt,
      proof,
      calendars: uris.map((uri) => ({ uri, state: 'pending' })),
      bitcoin: [],
    };
    await ledger.append([{ kind: 'anchor/1', body: anchor }], ledger.nextSeq);
    await this.#forget();
    this.#events.onStamped(anchor.batch, uris);
  }
}

/** What all answers say together; undefined where there are none that can be read. */
function merged({ answers }: OpenBatch): Timestamp | undefined {
  let tree: Timestamp | undefined;
  for (const answer of answers) {
    const each = parseTimestamp(answerBytes(answer), TIP_BYTES);
    tree = tree === undefined ? each : mergeTimestamps(tree, each);
  }
  return tree;
}
