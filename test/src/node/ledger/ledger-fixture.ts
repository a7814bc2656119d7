import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  contentHash,
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  nodeHash,
  type Sha256,
  toHash,
} from '@assay/core/hash/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import { formatHead } from '@assay/core/view/head';
import { formatHex } from '@assay/core/bytes/hex';
import { rootOf } from '@assay/core/log/tree';
import { levelLength, TILE_WIDTH } from '@assay/core/log/tile';
import {
  type LocalCheckpointSigner,
  checkpointSigner,
  type Signer,
} from '@assay/node/ledger/checkpoint-signer';
import type { BareHead, HeadGuard } from '@assay/node/ledger/guard/head-guard';
import { LastSigned } from '@assay/node/ledger/guard/last-signed';
import { MemoryHeadGuard, type SharedRow } from '@assay/node/ledger/guard/memory-head-guard';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import { type EntryDraft, Ledger, type LedgerOptions } from '@assay/node/ledger/ledger';
import type { SettlingLimits } from '@assay/node/ledger/guard/settling';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryViews } from '@assay/core/view/state';
import { replay } from '@assay/node/ledger/derived/replay';
import { sealedRows, sealRow, sumOf } from '@assay/node/ledger/store/sealed-row';
import type {
  LedgerStore,
  SealedRow,
  StoredRow,
  TileRow,
  ViewRow,
} from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

export const ORIGIN = 'development/ledger-test';

/** The Ed25519 key whose seed is 32 times `byte`. */
export function testSigner(byte: number): Signer {
  const seed = Buffer.alloc(32, byte);
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(-32)),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}

export const REPORT_SIGNER: Signer = testSigner(1);
export const CHECKPOINTS: LocalCheckpointSigner = checkpointSigner(
  nodeSha256,
  ORIGIN,
  testSigner(2),
);

const keyHash = (byte: number): HashHex =>
  hashHex(contentHash(nodeSha256, testSigner(byte).publicKey));

export function genesisBody(change: Partial<Genesis> = {}): Genesis {
  return {
    origin: ORIGIN,
    network: 'development',
    report_key: formatHex(REPORT_SIGNER.publicKey),
    checkpoint_vkey: CHECKPOINTS.vkey,
    next_report_key_sha256: keyHash(3),
    recovery_key_sha256: keyHash(4),
    chain: null,
    program: null,
    policies: { cosigners_required: 0, witnesses_required: 0, witness_max_age_s: 0 },
    ...change,
  };
}

export const GENESIS_DRAFT: EntryDraft = { kind: 'genesis/1', body: genesisBody() };

export function note(text: string): EntryDraft {
  return { kind: 'note/1', body: { text } };
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-ledger-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** How a call of a port goes wrong: before anything happened, or after all of it did. */
export type Failure = 'failed' | 'failed, but on disk';

/** A gate that calls wait at until it is opened. */
export class Gate {
  #open: (() => void) | undefined;
  #waiting: Promise<void> | undefined;
  /** Calls that have come to the gate while it was shut. */
  arrived = 0;

  shut(): void {
    this.#waiting ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#waiting = undefined;
  }

  async pass(): Promise<void> {
    if (this.#waiting === undefined) return;
    this.arrived += 1;
    await this.#waiting;
  }
}

/** A store whose commits are counted, and can be held up or made to fail. */
export interface ProbeStore extends LedgerStore {
  readonly gate: Gate;
  /** Entries of each commit so far. */
  readonly commits: number[];
  fail: Failure | undefined;
  /** What a failing call throws. */
  failure: Error;
}

export function probeStore(store: LedgerStore): ProbeStore {
  const probe: ProbeStore = {
    ...bound(store),
    gate: new Gate(),
    commits: [],
    fail: undefined,
    failure: new Error('disk: EIO'),
    async reopen() {
      if (probe.fail === 'failed') throw probe.failure;
      await store.reopen();
    },
    async commit(batch, options) {
      await probe.gate.pass();
      probe.commits.push(batch.entries.length);
      if (probe.fail === 'failed') throw probe.failure;
      await store.commit(batch, options);
      if (probe.fail !== undefined) throw probe.failure;
    },
  };
  return probe;
}

/** A store's methods on a plain object, to be overridden one by one. */
export function bound(store: LedgerStore): LedgerStore {
  return {
    get readOnly() {
      return store.readOnly;
    },
    commit: (batch, options) => store.commit(batch, options),
    sync: () => store.sync(),
    head: () => store.head(),
    entry: (seq) => store.entry(seq),
    entries: (start, end) => store.entries(start, end),
    tile: (level, index) => store.tile(level, index),
    views: (table) => store.views(table),
    view: (table, key) => store.view(table, key),
    viewKeys: (kept) => store.viewKeys(kept),
    hasKey: (table, key) => store.hasKey(table, key),
    scratch: () => store.scratch(),
    rows: () => store.rows(),
    rewrite: (size, rest) => store.rewrite(size, rest),
    settle: () => store.settle(),
    reopen: () => store.reopen(),
    close: () => store.close(),
  };
}

/** A guard in memory whose moves are counted, and can be held up or made to fail. */
export interface ProbeGuard extends HeadGuard {
  readonly gate: Gate;
  /** The row, which whoever has the guard may change. */
  readonly shared: SharedRow;
  moves: number;
  fail: Failure | undefined;
  /** What a failing call throws. */
  failure: Error;
}

export function probeGuard(): ProbeGuard {
  const shared: SharedRow = { row: undefined, pending: [] };
  const guard = new MemoryHeadGuard(shared);
  const probe: ProbeGuard = {
    gate: new Gate(),
    shared,
    moves: 0,
    fail: undefined,
    failure: new Error('guard: EIO'),
    look: () => guard.look(),
    peek: () => guard.peek(),
    take: (writer, from) => guard.take(writer, from),
    settled: (size) => guard.settled(size),
    async reopen() {
      if (probe.fail === 'failed') throw probe.failure;
      await guard.reopen();
    },
    close: () => guard.close(),
    async move(batch) {
      await probe.gate.pass();
      probe.moves += 1;
      if (probe.fail === 'failed') throw probe.failure;
      await guard.move(batch);
      if (probe.fail !== undefined) throw probe.failure;
    },
  };
  return probe;
}

/** Puts a head into a guard as somebody does who may change it. */
export function setHead({ shared }: ProbeGuard, head: BareHead | undefined): void {
  shared.row = { epoch: shared.row?.epoch ?? 1, writer: shared.row?.writer ?? '', head };
  shared.pending = [];
}

/** The size that a guard has. */
export function guardedSize({ shared }: ProbeGuard): number {
  return shared.row?.head?.size ?? 0;
}

/** Where a ledger of a test lies: it can be opened there again. */
export interface Place extends BarePlace {
  readonly signed: LastSigned;
}

/** The same without what was signed last, which is not stored there. */
export interface BarePlace {
  readonly store: ProbeStore;
  readonly guard: ProbeGuard;
  readonly signed?: LastSigned;
}

export async function memoryPlace(): Promise<Place> {
  return {
    store: probeStore(await openMemoryStore()),
    guard: probeGuard(),
    signed: new LastSigned(new MemoryNoteSlot()),
  };
}

/** 2026-07-30T12:30:00Z. */
export const NOON = 1_785_414_600;

/** Settles each commit behind it, and without a clock. */
const AT_ONCE: SettlingLimits = { bytes: 0, ms: 0, mostBytes: Number.POSITIVE_INFINITY };

export function openAt(place: BarePlace, change: Partial<LedgerOptions> = {}): Promise<Ledger> {
  return Ledger.open({
    sha256: nodeSha256,
    store: place.store,
    guard: place.guard,
    ...(place.signed === undefined ? {} : { signed: place.signed }),
    signer: CHECKPOINTS,
    now: () => NOON,
    askHeads: null,
    settling: AT_ONCE,
    ...change,
  });
}

/** A ledger with genesis and `notes` notes. */
export async function filledLedger(place: BarePlace, notes: number): Promise<Ledger> {
  const ledger = await openAt(place);
  await ledger.write(() => [GENESIS_DRAFT]);
  const drafts = Array.from({ length: notes }, (_, i) => note(`note ${i + 1}`));
  if (notes > 0) await ledger.write(() => drafts);
  return ledger;
}

/** Lets everything run that needs no more than the loop's turns. */
export async function turns(count = 5): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Makes a store what it was at its first `size` entries, fewer than 256; their root. */
export async function cutTo(store: LedgerStore, size: number): Promise<Hash> {
  const { root, views } = await replay(nodeSha256, store, size, new MemoryViews());
  const sum = sumOf(sealedRows(nodeSha256, views));
  const head = formatHead(nodeSha256, { size, root: hashHex(root), ...sum });
  await store.rewrite(size, { tiles: [], views: sealedRows(nodeSha256, views), head });
  return root;
}

/** A view row as a store keeps it. */
export function sealed(row: ViewRow): SealedRow {
  return sealRow(nodeSha256, row);
}

export async function rowsOf(store: LedgerStore): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = [];
  for await (const row of store.rows()) rows.push(row);
  return rows;
}

export async function entriesOf(store: LedgerStore): Promise<readonly Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for await (const entry of store.entries(0, Number.MAX_SAFE_INTEGER)) entries.push(entry);
  return entries;
}

/** A row as text. */
export function rowText(row: StoredRow): string {
  switch (row.part) {
    case 'entry':
      return `entry ${row.seq} ${formatHex(row.bytes)}`;
    case 'tile':
      return `tile ${row.level}/${row.index} ${formatHex(row.bytes)}`;
    case 'view':
      return `view ${JSON.stringify([row.table, row.key])} ${formatHex(row.value)} ${formatHex(row.digest)}`;
    case 'head':
      return `head ${formatHex(row.bytes)}`;
    case 'unknown':
      return `unknown ${formatHex(row.key)}`;
  }
}

/** Everything in a store as text, for comparing two stores byte by byte. */
export async function contents(store: LedgerStore): Promise<readonly string[]> {
  return (await rowsOf(store)).map(rowText);
}

/** Hashes that are no `Buffer`, so that `deepEqual` compares their bytes alone. */
export const plainSha256: Sha256 = (bytes) => new Uint8Array(nodeSha256(bytes));

/** Root of the leaves by the definition of RFC 6962, 2.1, without any shortcut of ours. */
export function naiveRoot(leaves: readonly Hash[], start = 0, end = leaves.length): Hash {
  if (end - start === 0) return toHash(plainSha256(new Uint8Array(0)));
  if (end - start === 1) return leaves[start] as Hash;
  let k = 1;
  while (k * 2 < end - start) k *= 2;
  return nodeHash(
    plainSha256,
    naiveRoot(leaves, start, start + k),
    naiveRoot(leaves, start + k, end),
  );
}

/** Every hash of every level of tiles (C2SP tlog-tiles): level by level, each from the one below. */
export function naiveLevels(leaves: readonly Hash[]): readonly (readonly Hash[])[] {
  const levels: (readonly Hash[])[] = [leaves];
  for (let level = 1; levelLength(level, leaves.length) > 0; level += 1) {
    const below = levels[level - 1] as readonly Hash[];
    const hashes: Hash[] = [];
    for (let i = 0; i < levelLength(level, leaves.length); i += 1) {
      hashes.push(rootOf(plainSha256, below.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH)));
    }
    levels.push(hashes);
  }
  return levels;
}

/** Leaf `i` of a tree made up for a test. */
export function someLeaf(i: number): Hash {
  return leafHash(plainSha256, Buffer.from(`leaf ${i}`));
}

/**
 * Throws unless a store holds one sound log of `size` entries: the chain, the head, exactly the
 * full tiles, and exactly the view rows that follow from the entries.
 */
export async function requireSound(store: LedgerStore, size: number): Promise<void> {
  const tiles: TileRow[] = [];
  const { root, views } = await replay(nodeSha256, store, size, new MemoryViews(), {
    onTile: (tile) => tiles.push(tile),
  });
  const sum = sumOf(sealedRows(nodeSha256, views));
  const rows: StoredRow[] = [
    ...(await entriesOf(store)).map((bytes, seq) => ({ part: 'entry', seq, bytes }) as const),
    { part: 'head', bytes: formatHead(nodeSha256, { size, root: hashHex(root), ...sum }) },
    ...tiles.map((tile) => ({ part: 'tile', ...tile }) as const),
    ...[...sealedRows(nodeSha256, views)].map((row) => ({ part: 'view', ...row }) as const),
  ];
  assert.deepEqual([...(await contents(store))].sort(), rows.map(rowText).sort());
}
