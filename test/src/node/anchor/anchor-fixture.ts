import assert from 'node:assert/strict';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { parseEntry } from '@assay/core/log/entry';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Anchor } from '@assay/core/kind/anchor';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseProof } from '@assay/core/ots/proof';
import { formatTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { proofFile, treeMaker } from '@assay/core/proof/proof-file';
import { type AnchorRow, anchorsBack } from '@assay/core/view/anchors';
import { stampsBetween } from '@assay/core/view/stamps';
import { type AnchorParts, type AnchorTiming } from '@assay/node/anchor/anchor-parts';
import { Anchoring } from '@assay/node/anchor/anchoring';
import { MemoryOpenBatch, type OpenBatchStore } from '@assay/node/anchor/open-batch';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import type { CalendarRequest, CalendarResponse } from '@assay/node/bitcoin/calendar-fetch';
import {
  type DevelopmentCalendar,
  developmentCalendar,
} from '@assay/node/dev/bitcoin/development-calendar';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { developmentSource } from '@assay/node/dev/bitcoin/development-source';
import { HeaderFollower } from '@assay/node/bitcoin/header-follower';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import type { BlobStore } from '@assay/node/blob/blob-store';
import type { EntryDraft, Ledger, LedgerOptions } from '@assay/node/ledger/ledger';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  GENESIS_DRAFT,
  memoryPlace,
  NOON,
  note,
  openAt,
  type Place,
} from '../ledger/ledger-fixture.ts';
import { requireVerified } from '../fixture/round-fixture.ts';

export const HASHES = otsHashes(nodeSha256);

export const ALICE = 'http://alice.calendar.test';
export const BOB = 'http://bob.calendar.test';
export const CAROL = 'http://carol.calendar.test';

/** Seconds of a block of the chain. */
export const BLOCK_S = 600;

export const TIMING: AnchorTiming = {
  required: 2,
  stampEveryS: 600,
  beaconEveryS: 3600,
  upgradeAfterS: 1800,
  expireAfterS: 30 * 86_400,
  silentAfterS: 3600,
  staleAfterS: 6 * 3600,
};

/** What a calendar does in place of its work; undefined for that work. */
export type Behaviour = (
  request: CalendarRequest,
) => Promise<CalendarResponse> | CalendarResponse | undefined;

export interface WorldOptions {
  /** Addresses to submit to with the calendar that answers there; each calendar's own without. */
  readonly pool?: Readonly<Record<string, string>>;
  readonly calendars?: readonly string[];
  readonly timing?: Partial<AnchorTiming>;
  readonly openBatch?: OpenBatchStore;
  readonly blobs?: BlobStore;
  readonly ledger?: Partial<LedgerOptions>;
  readonly headers?: boolean;
  /** In place of one of one's own that says what `source` does. */
  readonly sources?: readonly HeaderSource[];
}

/** A log, calendars and their chain in memory, on a clock that a test moves. */
export class AnchorWorld {
  readonly chain = new DevelopmentChain({ blockSeconds: BLOCK_S });
  readonly memory = new MemoryBlobStore();
  readonly asked: { readonly method: string; readonly url: string; readonly at: number }[] = [];
  readonly told: string[] = [];
  readonly failed: string[] = [];
  readonly behave = new Map<string, Behaviour>();
  /** What the source of headers says in place of the chain's. */
  source: HeaderSource;
  headers: HeaderFollower;
  ledger: Ledger;
  anchoring: Anchoring;
  readonly place: Place;
  readonly #options: WorldOptions;
  readonly #calendars: readonly DevelopmentCalendar[];
  readonly #openBatch: OpenBatchStore;
  #now = NOON;
  #elapsed = 0;
  #salt = 0;

  private constructor(place: Place, ledger: Ledger, options: WorldOptions) {
    this.place = place;
    this.ledger = ledger;
    this.#options = options;
    this.#openBatch = options.openBatch ?? new MemoryOpenBatch();
    this.chain.advance(NOON - 40 * BLOCK_S);
    this.chain.advance(NOON);
    this.#calendars = (options.calendars ?? [ALICE, BOB]).map((uri) =>
      developmentCalendar({ chain: this.chain, name: uri.slice(7, 12), uri, now: this.now }),
    );
    this.source = developmentSource(this.chain, this.now);
    this.headers = this.#follower();
    this.anchoring = this.#anchoring();
  }

  static async make(options: WorldOptions = {}): Promise<AnchorWorld> {
    const place = await memoryPlace();
    const clock = { now: () => NOON };
    const ledger = await openAt(place, { now: () => clock.now(), ...options.ledger });
    await ledger.write(() => [GENESIS_DRAFT]);
    const world = new AnchorWorld(place, ledger, options);
    clock.now = world.now;
    return world;
  }

  readonly now = (): number => this.#now;
  readonly elapsed = (): number => this.#elapsed;

  get blobs(): BlobStore {
    return this.#options.blobs ?? this.memory;
  }

  get openBatch(): OpenBatchStore {
    return this.#openBatch;
  }

  /** Another process on the same data. */
  async restart(): Promise<void> {
    await this.anchoring.stop();
    await this.ledger.idle();
    this.ledger = await openAt(this.place, { now: this.now, ...this.#options.ledger });
    this.headers = this.#follower();
    this.anchoring = this.#anchoring();
  }

  /** So much later. */
  at(seconds: number): void {
    this.#elapsed += Math.max(0, seconds - this.#now);
    this.#now = seconds;
  }

  /** Sets the clock while no time passes. */
  step(seconds: number): void {
    this.#now += seconds;
  }

  /** Moves the clock, then looks. */
  async poll(seconds = 0): Promise<void> {
    this.at(this.#now + seconds);
    await this.anchoring.poll();
  }

  /** Looks again and again while so much time passes. */
  async pass(seconds: number, step = BLOCK_S): Promise<void> {
    for (let done = 0; done < seconds; done += step) await this.poll(step);
  }

  async append(...drafts: readonly EntryDraft[]): Promise<void> {
    await this.ledger.write(() => drafts);
  }

  /** Adds something new and lives until it is in a batch. */
  async stamp(text = 'something new'): Promise<AnchorRow> {
    await this.append(note(text));
    const before = this.rows().length;
    for (let i = 0; i < 10 && this.rows().length === before; i += 1) await this.poll(600);
    const [newest] = this.rows();
    assert.equal(this.rows().length, before + 1, this.told.join('\n'));
    return newest as AnchorRow;
  }

  /** Batches, newest first. */
  rows(): readonly AnchorRow[] {
    return [...anchorsBack(this.ledger.tip)];
  }

  row(batch: number): AnchorRow {
    const row = this.rows().find((each) => each.batch === batch);
    if (row === undefined) throw new TypeError(`no batch ${batch}`);
    return row;
  }

  /** Every anchor entry of the log, in order. */
  async anchors(): Promise<readonly Anchor[]> {
    return (await this.entries('anchor/1')) as readonly Anchor[];
  }

  async entries(kind: string): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for await (const bytes of this.place.store.entries(0, this.ledger.nextSeq)) {
      const entry = parseEntry(bytes);
      if (entry.kind === kind) found.push(entry.body);
    }
    return found;
  }

  questions(method: string, address = ''): number {
    return this.asked.filter((each) => each.method === method && each.url.startsWith(address))
      .length;
  }

  /** Demands that the log is sound at rest and that each file that is served leads where it says. */
  async requireSound(): Promise<void> {
    await this.ledger.idle();
    await requireVerified({ place: this.place, blobs: this.memory });
    const treeOf = treeMaker(this.ledger.tip, nodeSha256);
    for (const row of this.rows()) {
      const tip = await this.memory.get(row.proof);
      assert.ok(tip !== undefined);
      const { digests } = treeOf(row);
      assert.deepEqual(digests.slice(1), stampsBetween(this.ledger.tip, row.from, row.to));
      for (const digest of digests) this.#requireFile(row, digest, tip);
    }
  }

  #requireFile(row: AnchorRow, digest: HashHex, tip: Uint8Array): void {
    const { tip: state } = this.ledger;
    const file = proofFile(state, treeMaker(state, nodeSha256), digest, tip);
    assert.ok(file !== undefined);
    const proof = parseProof(file);
    const uris = new Set<string>();
    const heights = new Set<number>();
    for (const { attestation, message } of evaluate(proof.timestamp, proof.digest, HASHES)) {
      if (attestation.kind === 'pending') uris.add(attestation.uri);
      if (attestation.kind !== 'bitcoin') continue;
      const block = row.bitcoin.find(({ height }) => height === attestation.height);
      assert.equal(
        block?.header.slice(72, 136),
        formatHex(message),
        'the Merkle root of its block',
      );
      heights.add(attestation.height);
    }
    assert.deepEqual(
      [...uris].sort(),
      row.calendars.map(({ uri }) => uri),
    );
    assert.deepEqual(
      [...heights].sort((a, b) => a - b),
      row.bitcoin.map(({ height }) => height),
    );
  }

  #follower(): HeaderFollower {
    const source: HeaderSource = {
      name: 'test source',
      tip: () => this.source.tip(),
      headers: (from, count) => this.source.headers(from, count),
    };
    return new HeaderFollower({
      network: DEVELOPMENT,
      sources: this.#options.sources ?? [source],
    });
  }

  #anchoring(): Anchoring {
    const { timing, pool } = this.#options;
    const uris = this.#calendars.map(({ uri }) => uri);
    const parts: AnchorParts = {
      ledger: this.ledger,
      blobs: this.blobs,
      openBatch: this.#openBatch,
      calendars: new CalendarClient({
        fetch: (request) => this.#fetch(request),
        pool: pool === undefined ? uris : Object.keys(pool),
        attestors: uris,
        holders: new Map(pool === undefined ? uris.map((uri) => [uri, uri]) : Object.entries(pool)),
        timeoutMs: 60_000,
        sha256: nodeSha256,
      }),
      headers: this.#options.headers === false ? undefined : this.headers,
      network: DEVELOPMENT,
      sha256: nodeSha256,
      hashes: HASHES,
      now: this.now,
      elapsed: this.elapsed,
      random: (length) => new Uint8Array(length).fill((this.#salt += 1)),
      timing: { ...TIMING, ...timing },
    };
    return new Anchoring(parts, 3_600_000, {
      onStamped: (batch) => this.told.push(`stamped ${batch}`),
      onUpgraded: (batch, heights) => this.told.push(`upgraded ${batch} ${heights.join()}`),
      onBeacon: (height) => this.told.push(`beacon ${height}`),
      onError: (what, reason) => this.told.push(`${what}: ${reason}`),
      onCalendarFailed: (calendar, reason) => this.failed.push(`${calendar}: ${reason}`),
    });
  }

  async #fetch(request: CalendarRequest): Promise<CalendarResponse> {
    const { method, url, body = new Uint8Array(0) } = request;
    this.asked.push({ method, url, at: this.#now });
    const pool = Object.entries(this.#options.pool ?? {}).map(([from, uri]) => ({ from, uri }));
    const own = this.#calendars.map(({ uri }) => ({ from: uri, uri }));
    const place = [...pool, ...own].find(({ from }) => url.startsWith(`${from}/`));
    if (place === undefined) throw new TypeError(`nobody is at ${url}`);
    const odd = await (this.behave.get(place.from) ?? this.behave.get(place.uri))?.(request);
    if (odd !== undefined) return odd;
    const calendar = this.#calendars.find(({ uri }) => uri === place.uri) as DevelopmentCalendar;
    const { status, body: answer } = calendar.answer({
      method,
      path: url.slice(place.from.length),
      body,
    });
    return { status, body: answer };
  }
}

export const down: Behaviour = () => {
  throw new Error('ECONNREFUSED');
};

/** Pending for ever. */
export const silent: Behaviour = ({ method }) =>
  method === 'GET' ? { status: 404, body: Buffer.from('Pending confirmation') } : undefined;

/** Answers each question about a commitment with this tree. */
export function upgradingTo(tree: Timestamp): Behaviour {
  return ({ method }) =>
    method === 'GET' ? { status: 200, body: formatTimestamp(tree) } : undefined;
}

/** Answers each submission with this tree. */
export function promising(tree: Timestamp): Behaviour {
  return ({ method }) =>
    method === 'POST' ? { status: 200, body: formatTimestamp(tree) } : undefined;
}

export function bytesOf(hex: string): Uint8Array {
  return parseHex(hex);
}

/** A blob store in memory that does `before` ahead of each blob that it stores. */
export function blobsAfter(before: () => Promise<unknown>): BlobStore {
  const { put, get, read, checked, has, verify, list } = new MemoryBlobStore();
  return {
    put: async (bytes) => {
      await before();
      return put(bytes);
    },
    get,
    read,
    checked,
    has,
    verify,
    list,
  };
}
