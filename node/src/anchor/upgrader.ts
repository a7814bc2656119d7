import { equalBytes } from '@assay/core/bytes';
import { HEADER_BYTES, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { Fault } from '@assay/core/fault';
import { formatHex, parseHex } from '@assay/core/hex';
import type { Anchor, AnchorBlock, AnchorCalendar } from '@assay/core/kind/anchor';
import { calendarsOf } from '@assay/core/ots/calendars';
import { evaluate } from '@assay/core/ots/evaluate';
import { graft } from '@assay/core/ots/graft';
import { prune } from '@assay/core/ots/merge';
import { formatTimestamp, parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { parseTime } from '@assay/core/time';
import { type AnchorRow, anchorRow, anchorsBack } from '@assay/core/view/anchors';
import type { Upgrade } from '../bitcoin/calendar-client.ts';
import type { ConfirmedBlock } from '../bitcoin/header-follower.ts';
import { Turns } from '../turns.ts';
import type { AnchorEvents, AnchorParts } from './anchor-parts.ts';

/** Batches that are looked at in one turn. */
const AT_ONCE = 8;
/** The longest wait between two questions about a batch, in its calendars' own time: 6 hours. */
const MAX_WAIT_S = 21_600;
/** Blocks below the tip in which a recorded one is looked at again for a reorganisation. */
const WATCHED_BLOCKS = 144;

/**
 * Asks calendars what has become of what they hold, until each has answered or is given up, and
 * records the blocks once they have six more on top of them. A recorded block that a reorganisation
 * took back is withdrawn by a further issue.
 */
export class Upgrader {
  readonly #parts: AnchorParts;
  readonly #events: AnchorEvents;
  /** Batches with a calendar that is pending, and when each is to be asked about. */
  #waiting: Map<number, number> | undefined;
  /** Batches whose blocks are near the tip. */
  readonly #watched = new Set<number>();

  constructor(parts: AnchorParts, events: AnchorEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Takes up every batch that is due. What fails is told, and tried again later. */
  async look(): Promise<void> {
    const { ledger, calendars, headers, now } = this.#parts;
    if (headers?.tip === undefined || ledger.blocked !== undefined) return;
    await this.#watch();
    if (calendars === undefined) return;
    const waiting = this.#known();
    const time = now();
    const turns = new Turns(AT_ONCE);
    const due = [...waiting].filter(([, at]) => at <= time).map(([batch]) => batch);
    await Promise.all(due.map((batch) => turns.take(() => this.#tried(batch))));
  }

  /** A batch that was just recorded. */
  added(batch: number): void {
    const row = anchorRow(this.#parts.ledger.tip, batch);
    if (row !== undefined) this.#note(row);
  }

  #known(): ReadonlyMap<number, number> {
    if (this.#waiting === undefined) {
      this.#waiting = new Map();
      for (const row of anchorsBack(this.#parts.ledger.tip)) this.#note(row, true);
    }
    return this.#waiting;
  }

  /** Remembers when a batch is due, and whether its blocks are to be watched. */
  #note(row: AnchorRow, atOnce = false): void {
    const { now, timing, headers } = this.#parts;
    this.#waiting ??= new Map();
    const { batch } = row;
    if (row.calendars.every(({ state }) => state !== 'pending')) this.#waiting.delete(batch);
    else {
      const age = now() - parseTime(row.stamped_at);
      const wait = Math.max(timing.stampEveryS, Math.min(age / 8, MAX_WAIT_S));
      const first = parseTime(row.stamped_at) + timing.upgradeAfterS;
      this.#waiting.set(batch, Math.max(first, atOnce ? now() : now() + wait));
    }
    const tip = headers?.tip?.height ?? 0;
    const near = row.bitcoin.some(({ height }) => height > tip - WATCHED_BLOCKS);
    if (near) this.#watched.add(batch);
    else this.#watched.delete(batch);
  }

  async #tried(batch: number): Promise<void> {
    if (this.#parts.ledger.blocked !== undefined) return;
    try {
      await this.#upgrade(batch);
    } catch (error) {
      if (this.#parts.ledger.blocked !== undefined) return;
      const reason = error instanceof Fault ? error.message : 'an error of the node';
      this.#events.onTrouble(`batch ${batch}`, reason);
    }
    this.added(batch);
  }

  async #upgrade(batch: number): Promise<void> {
    const { calendars, hashes, now, timing } = this.#parts;
    const row = anchorRow(this.#parts.ledger.tip, batch);
    if (row === undefined || calendars === undefined) return;
    const message = parseHex(row.tip, 32);
    const before = await this.#treeOf(row);
    let tree = before;
    const blocks = new Map<number, ConfirmedBlock>();
    const open = new Set(
      row.calendars.filter(({ state }) => state === 'pending').map(({ uri }) => uri),
    );
    const asked = evaluate(before, message, hashes).flatMap(
      ({ attestation, message: commitment }) =>
        attestation.kind === 'pending' && open.has(attestation.uri)
          ? [{ uri: attestation.uri, commitment }]
          : [],
    );
    const answers = await Promise.all(
      asked.map(async (each) => ({
        ...each,
        upgrade: await calendars.upgrade(each.uri, each.commitment),
      })),
    );
    for (const { uri, commitment, upgrade } of answers) {
      const sound = await this.#sound(uri, commitment, upgrade, blocks);
      if (sound !== undefined) tree = graft(tree, message, commitment, sound, hashes);
    }
    const late = now() - parseTime(row.stamped_at) > timing.expireAfterS;
    await this.#issue(row, tree, late);
  }

  /** The part of a calendar's answer whose blocks are on the chain, six deep. */
  async #sound(
    uri: string,
    commitment: Uint8Array,
    upgrade: Upgrade,
    blocks: Map<number, ConfirmedBlock>,
  ): Promise<Timestamp | undefined> {
    const { headers, hashes } = this.#parts;
    if (upgrade.kind === 'failed') this.#events.onTrouble(uri, upgrade.reason);
    if (upgrade.kind !== 'attested' || headers === undefined) return undefined;
    const good = new Set<number>();
    for (const { attestation, message } of evaluate(upgrade.timestamp, commitment, hashes)) {
      if (attestation.kind !== 'bitcoin') continue;
      const { height } = attestation;
      const block = blocks.get(height) ?? (await headers.confirmed(height));
      if (block === undefined) continue;
      blocks.set(height, block);
      if (equalBytes(parseHeader(headerOf(block)).merkleRoot, message)) good.add(height);
      else this.#events.onTrouble(uri, `block ${height} has another Merkle root than it says`);
    }
    return prune(
      upgrade.timestamp,
      (attestation) => attestation.kind === 'bitcoin' && good.has(attestation.height),
    );
  }

  /** Records a further issue where there is something to say. */
  async #issue(row: AnchorRow, tree: Timestamp, late: boolean): Promise<void> {
    const { ledger, blobs, headers, hashes } = this.#parts;
    const heights = new Set<number>();
    for (const { attestation } of evaluate(tree, parseHex(row.tip, 32), hashes)) {
      if (attestation.kind === 'bitcoin') heights.add(attestation.height);
    }
    const bitcoin: AnchorBlock[] = [];
    for (const height of [...heights].sort((a, b) => a - b)) {
      const recorded = row.bitcoin.find((block) => block.height === height);
      const block = await headers?.confirmed(height);
      if (block === undefined) {
        if (recorded === undefined) return;
        bitcoin.push(recorded);
        continue;
      }
      const following = await blobs.put(block.headers.subarray(HEADER_BYTES));
      bitcoin.push({ height, header: formatHex(headerOf(block)), following });
    }
    const calendars: readonly AnchorCalendar[] = calendarsOf(tree).map(({ uri, attested }) => ({
      uri,
      state: attested ? 'attested' : late ? 'expired' : 'pending',
    }));
    const proof = await blobs.put(formatTimestamp(tree));
    const said = JSON.stringify([row.proof, row.calendars, row.bitcoin]);
    if (JSON.stringify([proof, calendars, bitcoin]) === said) return;
    // Another issue may have come meanwhile, by a reorganisation.
    if (anchorRow(ledger.tip, row.batch)?.issue !== row.issue) return;
    const { seq: _seq, at: _at, ...anchor } = row;
    const body: Anchor = { ...anchor, issue: row.issue + 1, proof, calendars, bitcoin };
    await ledger.append([{ kind: 'anchor/1', body }], ledger.nextSeq);
    this.#events.onUpgraded(
      row.batch,
      bitcoin.map(({ height }) => height),
    );
  }

  /** Takes back what the chain does not hold any more. */
  async #watch(): Promise<void> {
    const { ledger, headers, sha256 } = this.#parts;
    this.#known();
    for (const batch of this.#watched) {
      const row = anchorRow(ledger.tip, batch);
      if (row === undefined || headers === undefined) continue;
      const gone = new Set<number>();
      for (const { height, header } of row.bitcoin) {
        const block = await headers.confirmed(height);
        if (block === undefined) continue;
        const recorded = headerHash(sha256, parseHex(header, 80));
        if (!equalBytes(recorded, headerHash(sha256, headerOf(block)))) gone.add(height);
      }
      if (gone.size > 0) {
        const tree = prune(
          await this.#treeOf(row),
          (attestation) => attestation.kind !== 'bitcoin' || !gone.has(attestation.height),
        );
        const words = `the chain has other blocks at ${[...gone].join(', ')}`;
        this.#events.onTrouble(`batch ${batch}`, words);
        if (tree !== undefined) await this.#issue(row, tree, false);
      }
      const now = anchorRow(ledger.tip, batch);
      if (now !== undefined) this.#note(now);
    }
  }

  async #treeOf(row: AnchorRow): Promise<Timestamp> {
    const bytes = await this.#parts.blobs.get(row.proof);
    if (bytes === undefined) {
      throw new Fault('blob_missing', 'timestamp', { expected: row.proof });
    }
    return parseTimestamp(bytes, 32);
  }
}

/** The header of the block itself, 80 bytes. */
function headerOf({ headers }: ConfirmedBlock): Uint8Array {
  return headers.subarray(0, HEADER_BYTES);
}
