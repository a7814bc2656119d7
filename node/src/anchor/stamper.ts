import { anchorTree } from '@assay/core/proof/anchor-tree';
import { scanEntry } from '@assay/core/log/entry';
import { Fault, messageOf } from '@assay/core/fault';
import { hashHex, type HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { type Anchor, MAX_ANCHOR_LAG } from '@assay/core/kind/anchor';
import { formatTimestamp } from '@assay/core/ots/timestamp';
import { newestAnchor } from '@assay/core/view/anchors';
import { logRow } from '@assay/core/view/log';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';
import { type HeldTip, heldTip, usable, withAnswer } from './held-tip.ts';
import { type OpenAnswer, openAnswer, type OpenBatch } from './open-batch.ts';

/** Kinds that do not cause a batch by themselves, because batches would cause one another for ever. */
const QUIET: ReadonlySet<string> = new Set(['anchor/1', 'beacon/1']);

const TIP_BYTES = 32;

/**
 * Makes batches. At most one batch is with the calendars at a time, and it is recorded when enough of them hold
 * it. A batch is stored, to survive a restart, before it is submitted.
 */
export class Stamper {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  readonly #signal: AbortSignal;
  /**
   * The number of entries when this process began. A stored batch over more entries belongs to a log that was
   * restored since.
   */
  readonly #startSize: number;
  #open: OpenBatch | undefined;
  #loaded = false;
  /** When the last batch was begun, by the clock without steps. */
  #begun = Number.NEGATIVE_INFINITY;
  /** Up to this entry there is nothing new. */
  #quietTo = 0;
  /** The number of tries of the open batch, and when the next one is due. */
  #tries = 0;
  #nextTry = Number.NEGATIVE_INFINITY;

  /** `signal` aborts what is under way with calendars. */
  constructor(parts: AnchorParts, events: AnchorEvents, signal: AbortSignal) {
    this.#parts = parts;
    this.#events = events;
    this.#signal = signal;
    this.#startSize = parts.ledger.published?.size ?? 0;
  }

  /** Begins a batch if one is due, or asks again for the one that is open. */
  async poll(): Promise<void> {
    const { ledger, calendars, elapsed, timing } = this.#parts;
    if (calendars === undefined || ledger.blocked !== undefined) return;
    await this.#load();
    if (this.#open !== undefined && !this.#fits(this.#open)) await this.#forget();
    if (this.#open === undefined) {
      if (elapsed() < this.#begun + timing.stampEveryS || !(await this.#hasNews())) return;
      await this.#begin();
    }
    if (elapsed() >= this.#nextTry) await this.#submit();
  }

  async #load(): Promise<void> {
    if (this.#loaded) return;
    const kept = await this.#parts.openBatch.get();
    if (kept !== undefined) {
      const own = kept.to <= this.#startSize && this.#fits(kept);
      if (own && this.#tipOf(kept) === kept.tip) {
        const { batch, dropped } = usable(kept);
        for (const reason of dropped) this.#events.onError('stamp', reason);
        // A calendar that answered under another configuration may not be asked, or not be believed, under this
        // one.
        const answers = batch.answers.filter((answer) => this.#believes(answer));
        this.#open = { ...batch, answers };
      } else {
        await this.#parts.openBatch.set(undefined);
      }
    }
    this.#loaded = true;
  }

  #believes(answer: OpenAnswer): boolean {
    const { calendars } = this.#parts;
    const uris = heldTip({ answers: [answer] })?.uris ?? [];
    const believed = uris.every(
      (uri) => calendars?.isAttestor(uri) === true && calendars.isHolder(answer.calendar, uri),
    );
    if (!believed) this.#events.onCalendarFailed(answer.calendar, 'not believed under this config');
    return believed;
  }

  /**
   * Whether a batch can still be recorded: it begins where the newest one ends, and its checkpoint is recent.
   */
  #fits({ from, to }: OpenBatch): boolean {
    const { ledger } = this.#parts;
    const size = ledger.published?.size ?? 0;
    return (
      from === (newestAnchor(ledger.tip)?.to ?? 0) &&
      to <= size &&
      // Leaves room for what is appended while the calendars answer.
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
    const { ledger, openBatch, random, elapsed } = this.#parts;
    const { published } = ledger;
    if (published === undefined) return;
    const salt = formatHex(random(32));
    const from = newestAnchor(ledger.tip)?.to ?? 0;
    const range = { from, to: published.size, root: hashHex(published.root), salt };
    const batch = { ...range, tip: this.#tipOf(range), made_at: ledger.nextAt, answers: [] };
    await openBatch.set(batch);
    this.#open = batch;
    this.#begun = elapsed();
    this.#tries = 0;
    this.#nextTry = elapsed();
  }

  #tipOf(range: Pick<OpenBatch, 'from' | 'to' | 'root' | 'salt'>): HashHex {
    const { ledger, sha256 } = this.#parts;
    const origin = logRow(ledger.tip)?.origin ?? '';
    return hashHex(anchorTree(ledger.tip, sha256, origin, range).tree.tip);
  }

  /**
   * Asks the calendars that have not answered. Their answers are stored, and recorded once there are enough.
   */
  async #submit(): Promise<void> {
    const { elapsed, timing } = this.#parts;
    // Before anything can fail, so that a failure does not cause a request at every poll.
    this.#tries += 1;
    const wait = Math.min(timing.stampEveryS, (timing.stampEveryS / 20) * 2 ** this.#tries);
    this.#nextTry = elapsed() + wait;
    if (this.#open === undefined) return;
    let held = heldTip(this.#open);
    if ((held?.calendars ?? 0) < timing.required) {
      this.#open = await this.#asked(this.#open);
      held = heldTip(this.#open);
    }
    if (held !== undefined && held.calendars >= timing.required) {
      await this.#record(this.#open, held);
      return;
    }
    this.#events.onError(
      'stamp',
      `${held?.calendars ?? 0} of ${timing.required} calendars that it needs hold the batch`,
    );
  }

  /** The batch with the current answers of the pool, stored to survive a restart. */
  async #asked(batch: OpenBatch): Promise<OpenBatch> {
    const { calendars, openBatch } = this.#parts;
    if (calendars === undefined) return batch;
    // A calendar that has answered once holds the tip since then.
    const except = new Set(batch.answers.map(({ calendar }) => calendar));
    const { answers, failures } = await calendars.submit(parseHex(batch.tip, TIP_BYTES), {
      except,
      signal: this.#signal,
    });
    for (const { calendar, reason } of this.#signal.aborted ? [] : failures) {
      this.#events.onCalendarFailed(calendar, reason);
    }
    let more = batch;
    for (const { calendar, timestamp } of answers) {
      try {
        more = withAnswer(more, openAnswer(calendar, formatTimestamp(timestamp)));
      } catch (error) {
        this.#events.onCalendarFailed(calendar, messageOf(error));
      }
    }
    // In memory first: if the disk is full, the batch can still be recorded.
    this.#open = more;
    if (more !== batch) await openBatch.set(more);
    return more;
  }

  async #record(batch: OpenBatch, { tree, uris }: HeldTip): Promise<void> {
    const { ledger, blobs } = this.#parts;
    const proof = await blobs.put(formatTimestamp(tree));
    const { from, to, root, salt, tip, made_at: madeAt } = batch;
    let number = 0;
    const written = await ledger.write(({ views, at }) => {
      if (!this.#fits(batch)) return [];
      number = (newestAnchor(views)?.batch ?? -1) + 1;
      const body: Anchor = {
        batch: number,
        issue: 0,
        from,
        to,
        root,
        salt,
        tip,
        // The clock may have gone back during a restart.
        stamped_at: madeAt < at ? madeAt : at,
        proof,
        calendars: uris.map((uri) => ({ uri, state: 'pending' })),
        bitcoin: [],
      };
      return [{ kind: 'anchor/1', body }];
    });
    this.#open = undefined;
    if (written.length > 0) this.#events.onStamped(number, uris);
    else {
      this.#events.onError('stamp', 'the log has grown too far: a new batch takes up everything');
    }
    await this.#forget();
  }
}
