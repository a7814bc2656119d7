import { HEADER_BYTES, parseHeader } from '@assay/core/bitcoin/header';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Anchor, AnchorBlock, AnchorCalendar } from '@assay/core/kind/anchor';
import { calendarsOf } from '@assay/core/ots/calendars';
import { evaluate } from '@assay/core/ots/evaluate';
import { graft } from '../bitcoin/graft.ts';
import { formatTimestamp, parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { type AnchorRow, anchorRow } from '@assay/core/view/anchors';
import { formatWire } from '@assay/core/wire/wire';
import { type Asked, type Concern, unreadableConcerns } from '../health/concern.ts';
import type { CalendarClient, Upgrade } from '../bitcoin/calendar-client.ts';
import type { ConfirmedBlock, HeaderFollower } from '../bitcoin/header-follower.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';
import { type ConfirmedAt, headerOf, sound, heldProof } from './block-proofs.ts';
import { CalendarPauses } from './calendar-pauses.ts';
import type { LogBeacons } from './log-beacons.ts';
import { fitsProofs } from './proof-room.ts';
import { untilAborted } from './until-aborted.ts';
import { UpgradeQueue } from './upgrade-queue.ts';

/** How many batches are handled at a time, and in one poll. Beacons and stamps come in between. */
const AT_ONCE = 8;
const MOST_PER_POLL = 512;

/** A calendar's answer about one of its promises. */
interface CalendarAnswer {
  readonly uri: string;
  readonly commitment: Uint8Array;
  readonly upgrade: Upgrade;
}

/**
 * Asks calendars for the proofs of what they hold, until each has answered or is given up. After that it is
 * asked rarely, as long as no block holds the batch. Blocks are recorded once they have six more on top of
 * them. If a reorganisation removes a recorded block, a further issue withdraws it.
 */
export class Upgrader {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  readonly #signal: AbortSignal;
  readonly #queue: UpgradeQueue;
  readonly #pauses: CalendarPauses;
  readonly #log: LogBeacons;
  /** Batches whose stamp could not be read when it was last needed. */
  readonly #unreadable = new Set<number>();

  /** `signal` aborts what is under way with calendars. */
  constructor(parts: AnchorParts, events: AnchorEvents, log: LogBeacons, signal: AbortSignal) {
    this.#parts = parts;
    this.#log = log;
    this.#events = events;
    this.#signal = signal;
    this.#queue = new UpgradeQueue(parts.ledger.tip, parts.now, parts.elapsed, parts.timing);
    this.#pauses = new CalendarPauses(parts.elapsed);
  }

  /** How many batches have a calendar that has neither answered nor been given up. */
  get pending(): number {
    return this.#queue.pending;
  }

  /** The highest block that holds a batch; undefined before there is one. */
  get attestedHeight(): number | undefined {
    return this.#queue.attestedHeight;
  }

  /** Batches with a pending calendar. */
  get open(): Iterable<number> {
    return this.#queue.open;
  }

  /** What is wrong with the stamps that have to be followed, for readers. */
  concerns(): readonly Concern[] {
    return unreadableConcerns([...this.#unreadable].sort((a, b) => a - b));
  }

  /** Who is asked about a batch that waits. */
  asked({ batch, calendars: named }: AnchorRow): Asked {
    const { calendars, headers, ledger } = this.#parts;
    if (calendars === undefined) return { nobody: 'the config names no calendar' };
    if (headers === undefined) return { nobody: 'the config names no source of Bitcoin headers' };
    if (headers.tip === undefined) return { nobody: 'no source of Bitcoin headers has answered' };
    if (headers.agreed === undefined)
      return { nobody: 'the sources of Bitcoin headers agree on no block' };
    if (ledger.blocked !== undefined) return { nobody: 'nothing is written' };
    if (this.#unreadable.has(batch)) return { nobody: 'its stamp cannot be read' };
    const of = named.flatMap(({ uri, state }) =>
      state === 'pending' && calendars.isAttestor(uri) ? [uri] : [],
    );
    return of.length > 0
      ? { of }
      : { nobody: 'the config does not name the calendars that hold it' };
  }

  /** Handles every batch that is due, the longest due first. A failure is reported and tried again. */
  async poll(): Promise<void> {
    const { ledger, calendars, headers } = this.#parts;
    const tip = headers?.agreed;
    if (headers === undefined || tip === undefined || ledger.blocked !== undefined) return;
    for (const batch of this.#queue.watched(tip)) {
      const looked = await this.#tried(batch, (row) => this.#watch(row, headers));
      if (!looked) this.#queue.watchAgain(batch);
    }
    if (calendars === undefined) return;
    const semaphore = new Semaphore(AT_ONCE);
    const due = this.#queue.due().slice(0, MOST_PER_POLL);
    const upgrade = (row: AnchorRow): Promise<void> => this.#upgrade(row, calendars, headers);
    await Promise.all(due.map((batch) => semaphore.run(() => this.#tried(batch, upgrade))));
  }

  /** A batch was recorded just now. */
  added(batch: number): void {
    const row = anchorRow(this.#parts.ledger.tip, batch);
    if (row !== undefined) this.#queue.note(row);
  }

  /** Whether the work on a batch was done. A failure is reported. */
  async #tried(batch: number, work: (row: AnchorRow) => Promise<void>): Promise<boolean> {
    const { ledger } = this.#parts;
    const row = anchorRow(ledger.tip, batch);
    if (row === undefined || ledger.blocked !== undefined || this.#signal.aborted) return false;
    try {
      await work(row);
      return true;
    } catch (error) {
      if (ledger.blocked === undefined && !this.#signal.aborted) {
        this.#events.onError(`batch ${batch}`, messageOf(error));
      }
      return false;
    }
  }

  /** Withdraws what the chain no longer holds. */
  async #watch(row: AnchorRow, headers: HeaderFollower): Promise<void> {
    for (const block of row.bitcoin) {
      const shown = await untilAborted(this.#signal, headers.confirmed(block.height));
      if (shown === undefined) this.#queue.watchLater(row.batch);
      else if (!equalBytes(headerOf(shown), headerOf(block))) {
        await this.#issue(row, await this.#treeOf(row), new Set(), headers);
        return;
      }
    }
  }

  async #upgrade(
    row: AnchorRow,
    calendars: CalendarClient,
    headers: HeaderFollower,
  ): Promise<void> {
    const { hashes } = this.#parts;
    const asked = this.#queue.asked(row);
    const message = parseHex(row.tip, 32);
    const before = await this.#treeOf(row);
    const open = new Set<string>();
    let later = Number.POSITIVE_INFINITY;
    for (const { uri, state } of row.calendars) {
      const until = this.#pauses.until(uri);
      if (!asked.has(state)) continue;
      if (until === undefined) open.add(uri);
      else later = Math.min(later, until);
    }
    if (open.size === 0) {
      this.#queue.postpone(row.batch, later);
      return;
    }
    const promises = evaluate(before, message, hashes).flatMap(
      ({ attestation, message: commitment }) =>
        attestation.kind === 'pending' && open.has(attestation.uri)
          ? [{ uri: attestation.uri, commitment }]
          : [],
    );
    const said = await Promise.all(
      promises.map(async (each): Promise<CalendarAnswer> => {
        const upgrade = await calendars.upgrade(each.uri, each.commitment, this.#signal);
        return { ...each, upgrade };
      }),
    );
    if (this.#signal.aborted) return;
    const confirmed = onceEach(headers, this.#signal);
    let tree = before;
    const waiting = new Set<string>();
    for (const each of said) {
      const { uri } = each;
      const part = await this.#sounded(each, row, confirmed);
      if (part === 'early') waiting.add(uri);
      if (part === undefined || part === 'early') continue;
      const grown = graft(tree, message, each.commitment, part, hashes);
      if (fitsProofs(grown, row.from, row.to)) tree = grown;
      else this.#events.onCalendarFailed(uri, 'its answer has no room in a proof');
    }
    // While the headers do not advance, no block of a calendar can be seen.
    if (this.#fresh(headers)) {
      for (const uri of open) {
        this.#queue.heard(
          row,
          uri,
          said.some((each) => each.uri === uri && isAnswer(each)),
        );
      }
    }
    const silent = [...open].filter((uri) => this.#queue.givesUp(row, uri, waiting.has(uri)));
    await this.#issue(row, tree, new Set(silent), headers);
  }

  #fresh({ agreed: tip }: HeaderFollower): boolean {
    const { now, timing } = this.#parts;
    return tip !== undefined && now() - parseHeader(tip.header).time <= timing.staleAfterS;
  }

  /** The part of an answer whose block is on the chain with six on top. */
  async #sounded(
    { uri, commitment, upgrade }: CalendarAnswer,
    { to }: AnchorRow,
    confirmed: ConfirmedAt,
  ): Promise<Timestamp | 'early' | undefined> {
    if (upgrade.kind === 'failed') {
      // A calendar that has lost one promise may still hold the others.
      if (upgrade.code !== 'not_found') this.#pauses.failed(uri);
      this.#events.onCalendarFailed(uri, upgrade.reason);
      return undefined;
    }
    this.#pauses.answered(uri);
    if (upgrade.kind !== 'attested') return undefined;
    const { hashes } = this.#parts;
    const floor = this.#log.highest(to);
    const sounded = await sound(upgrade.timestamp, commitment, floor, confirmed, hashes);
    if (sounded.kind === 'wrong') this.#events.onCalendarFailed(uri, sounded.reason);
    if (sounded.kind === 'early') return 'early';
    return sounded.kind === 'sound' ? sounded.timestamp : undefined;
  }

  /** Records a further issue if there is something new. `silent` calendars are given up. */
  async #issue(
    row: AnchorRow,
    timestamp: Timestamp,
    silent: ReadonlySet<string>,
    headers: HeaderFollower,
  ): Promise<void> {
    const { ledger, blobs, hashes, sha256 } = this.#parts;
    const message = parseHex(row.tip, 32);
    const confirmed = onceEach(headers, this.#signal);
    const held = await heldProof(timestamp, message, row.bitcoin, confirmed, hashes);
    if (held === undefined) return;
    const proof = formatTimestamp(held.tree);
    const bitcoin = held.blocks.map((block): AnchorBlock => {
      if ('following' in block) return block;
      const following = hashHex(contentHash(sha256, followingOf(block)));
      return { height: block.height, header: formatHex(headerOf(block)), following };
    });
    const expired = new Set(
      row.calendars.flatMap(({ uri, state }) => (state === 'expired' ? [uri] : [])),
    );
    const calendars = calendarsOf(held.tree).map(({ uri, attested }): AnchorCalendar => {
      if (attested) return { uri, state: 'attested' };
      return { uri, state: expired.has(uri) || silent.has(uri) ? 'expired' : 'pending' };
    });
    const known = { proof: hashHex(contentHash(sha256, proof)), calendars, bitcoin };
    const said = { proof: row.proof, calendars: row.calendars, bitcoin: row.bitcoin };
    if (equalBytes(wire(known), wire(said))) return;
    await blobs.put(proof);
    for (const block of held.blocks) {
      if (!('following' in block)) await blobs.put(followingOf(block));
    }
    const { seq: _seq, at: _at, ...anchor } = row;
    const body: Anchor = { ...anchor, ...known, issue: row.issue + 1 };
    const written = await ledger.write(({ views }) =>
      // Another issue may have been recorded meanwhile.
      anchorRow(views, row.batch)?.issue === row.issue ? [{ kind: 'anchor/1', body }] : [],
    );
    if (written.length === 0) return;
    const withdrawn = row.bitcoin.flatMap(({ height }) =>
      held.gone.includes(height) ? [height] : [],
    );
    const now = anchorRow(ledger.tip, row.batch);
    if (now !== undefined) this.#queue.note(now, withdrawn.length > 0);
    if (withdrawn.length > 0) {
      const words = `the chain has other blocks at ${withdrawn.join(', ')}`;
      this.#events.onError(`batch ${row.batch}`, words);
    }
    if (calendars.every(({ state }) => state === 'expired')) {
      this.#events.onError(`batch ${row.batch}`, 'every calendar was given up: no block holds it');
    }
    this.#events.onUpgraded(
      row.batch,
      bitcoin.map(({ height }) => height),
    );
  }

  async #treeOf({ batch, proof }: AnchorRow): Promise<Timestamp> {
    try {
      const bytes = await this.#parts.blobs.get(proof);
      if (bytes === undefined) throw new Fault('blob_missing', 'timestamp', { expected: proof });
      const tree = parseTimestamp(bytes, 32);
      this.#unreadable.delete(batch);
      return tree;
    } catch (error) {
      this.#unreadable.add(batch);
      throw error;
    }
  }
}

/** Whether the calendar answered, whatever its answer was. */
function isAnswer({ upgrade }: CalendarAnswer): boolean {
  return upgrade.kind !== 'failed' || !['unreachable', 'timeout'].includes(upgrade.code);
}

/** Asks for each height once, because the chain does not change within one issue. */
function onceEach(headers: HeaderFollower, signal: AbortSignal): ConfirmedAt {
  const known = new Map<number, Promise<ConfirmedBlock | undefined>>();
  return (height) => {
    const block = known.get(height) ?? untilAborted(signal, headers.confirmed(height));
    known.set(height, block);
    return block;
  };
}

/** The six headers after the block's own. */
function followingOf({ headers }: ConfirmedBlock): Uint8Array {
  return headers.subarray(HEADER_BYTES);
}

/** Canonical, because rows that were read back have their keys in another order. */
function wire(known: {
  readonly proof: HashHex;
  readonly calendars: readonly AnchorCalendar[];
  readonly bitcoin: readonly AnchorBlock[];
}): Uint8Array {
  return formatWire(known);
}
