import { concatBytes } from '@assay/core/bytes/bytes';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import { parseNote } from '@assay/core/log/note';
import { consistencyRanges, rootOf } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWitnessRequest } from '@assay/node/witness/server/witness-request';
import {
  checkpointSigner,
  type LocalCheckpointSigner,
  type Signer,
} from '@assay/node/ledger/checkpoint-signer';
import {
  type GuardRow,
  type HeadGuard,
  headText,
  type PendingBatch,
  requireOwned,
} from '@assay/node/ledger/guard/head-guard';
import { Ledger } from '@assay/node/ledger/ledger';
import { MemoryHeadGuard, type SharedRow } from '@assay/node/ledger/guard/memory-head-guard';
import type { SettlingLimits } from '@assay/node/ledger/guard/settling';
import type { AskHeads } from '@assay/node/ledger/start';
import { KEYED_TABLES } from '@assay/node/ledger/store/store-key';
import { SortedKeys } from '@assay/node/ledger/store/sorted-keys';
import type { LedgerStore, SealedRow, StoreBatch } from '@assay/node/ledger/store/store';
import type { ProveConsistency, WitnessStage } from '@assay/node/ledger/witness-stage';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { SIZE_TYPE, Witness, type WitnessAnswer } from '@assay/node/witness/server/witness';
import {
  requireSame,
  type WitnessHead,
  type WitnessMemory,
} from '@assay/node/witness/server/witness-memory';
import {
  GENESIS_DRAFT,
  NOON,
  note,
  ORIGIN,
  testSigner,
} from '../src/node/ledger/ledger-fixture.ts';
import { digest, READ, type Explored, type Program, type Scenario } from './explorer.ts';

/** Signs each message once: schedules sign the same ones over and over. */
function remembering(signer: Signer): Signer {
  const signatures = new Map<string, Uint8Array>();
  return {
    publicKey: signer.publicKey,
    sign(message) {
      const key = Buffer.from(message).toString('base64');
      const signature = signatures.get(key) ?? signer.sign(message);
      signatures.set(key, signature);
      return signature;
    },
  };
}

export const LOG_SIGNER: LocalCheckpointSigner = checkpointSigner(
  nodeSha256,
  ORIGIN,
  remembering(testSigner(2)),
);
const WITNESS_SIGNER = remembering(testSigner(9));
export const WITNESS = 'witness';

/** What a disk holds: replaced as a whole, so that a copy of it is the value itself. */
export interface Disk {
  /** By their numbers. What was not synced may be missing before what is there. */
  readonly entries: readonly (Uint8Array | undefined)[];
  readonly views: ReadonlyMap<string, SealedRow>;
  readonly head: Uint8Array | undefined;
}

const EMPTY: Disk = { entries: [], views: new Map(), head: undefined };

/** A way that a port breaks its promise: it answers before what it was told would survive a crash. */
export type Broken = 'guard' | 'store' | 'witness memory' | 'comparing';

/** Leaves by root: how a test tells whether two signed trees are of one history. */
const trees = new Map<string, readonly string[]>();

/** What a guard holds: replaced as a whole. */
export interface GuardState {
  readonly row: GuardRow | undefined;
  readonly pending: readonly PendingBatch[];
}

function guardText({ row, pending }: GuardState): string {
  const heads = pending.map(({ from, to }) => `${headText(from)} to ${headText(to)}`);
  return [row?.epoch, row?.writer, headText(row?.head), ...heads].join(' ');
}

/** What lasts in a world of one log, and what of it got out. */
export class LogWorld {
  readonly disks = new Map<string, Disk>();
  readonly broken: ReadonlySet<Broken>;
  guard: GuardState = { row: undefined, pending: [] };
  held: WitnessHead | undefined;
  /** Texts of checkpoints that somebody else has, signed by the log. */
  readonly heads = new Set<string>();
  /** Texts that the witness has cosigned, and somebody has it. */
  readonly cosigned = new Set<string>();
  /** `<seq> <leaf>` that a caller was told of. */
  readonly told = new Set<string>();
  /** Whether a crash takes what was not synced, as a power failure does. Otherwise it is the process that ends. */
  power = false;
  /** Whether each start must succeed, because nobody has put a copy back. */
  mustOpen = false;
  /** Why a start did not succeed. */
  refused: string | undefined;
  /** Whether the log's own signatures are let pass: they are not what is looked at. */
  cosignedOnly = false;
  serve: ((bytes: Uint8Array) => Promise<WitnessAnswer>) | undefined;

  constructor(broken: readonly Broken[] = []) {
    this.broken = new Set(broken);
  }

  release(bytes: Uint8Array): void {
    this.heads.add(parseNote(bytes).text);
  }

  durable(): string {
    const disks = [...this.disks].map(([name, { entries, views, head }]) =>
      [name, textOf(head), digest([entries, [...views]])].join(' '),
    );
    return [...disks, guardText(this.guard), textOf(this.held?.note)].join('\n');
  }

  released(): string {
    const sets = [this.heads, this.cosigned, this.told];
    return sets.map((each) => [...each].toSorted().join('\n')).join('\0');
  }

  /** Throws where two heads are of two histories, or one lacks what a caller was told of. */
  check(): void {
    if (this.mustOpen && this.refused !== undefined)
      throw new Error(`a start was refused: ${this.refused}`);
    checkHistories('heads that the witness cosigned', this.cosigned);
    if (this.cosignedOnly) return;
    checkHistories('heads that the log signed', this.heads);
    for (const told of this.told) {
      const [seq, leaf] = told.split(' ');
      for (const text of this.heads) {
        const { size, leaves } = treeOf(text);
        const found = leaves[Number(seq)];
        if (size > Number(seq) && found !== leaf)
          throw new Error(`entry ${seq} was acknowledged, and a head of ${size} lacks it`);
      }
    }
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString();
}

function treeOf(text: string): { readonly size: number; readonly leaves: readonly string[] } {
  const { size, root } = parseCheckpoint(text);
  const leaves = trees.get(hashHex(root));
  if (leaves?.length !== size)
    throw new Error(`a signed root of ${size} entries that no store ever had`);
  return { size, leaves };
}

function checkHistories(what: string, texts: ReadonlySet<string>): void {
  const all = [...texts].map(treeOf).toSorted((a, b) => a.size - b.size);
  for (const [i, { size, leaves }] of all.entries()) {
    const next = all[i + 1]?.leaves ?? leaves;
    if (leaves.every((leaf, k) => next[k] === leaf)) continue;
    throw new Error(`two ${what} are of two histories: ${size} and ${next.length} entries`);
  }
}

/** Registers the tree of these entries; its leaves. */
export function treeFrom(entries: readonly Uint8Array[]): readonly Hash[] {
  const leaves = entries.map((entry) => leafHash(nodeSha256, entry));
  trees.set(hashHex(rootOf(nodeSha256, leaves)), leaves.map(hashHex));
  return leaves;
}

/** Rows that were given to a disk, and may be there or not when the power fails. */
interface Written {
  readonly batch: StoreBatch;
  isKept: boolean;
}

function written(batch: StoreBatch, on: Disk): Disk {
  const entries = [...on.entries];
  for (const { seq, bytes } of batch.entries) entries[seq] = Uint8Array.from(bytes);
  const views = new Map(on.views);
  for (const row of batch.views) views.set(`${row.table}\0${row.key}`, row);
  return { entries, views, head: batch.head ?? on.head };
}

/**
 * A store whose commits are scheduling points; reads of one's own disk are none. Where the power may fail, a commit that is
 * not synced comes to the disk behind the process, by itself: a crash may take any of them, and leave later ones.
 */
export function exploredStore(
  world: Pick<Explored, 'call' | 'behind'>,
  log: LogWorld,
  name: string,
): LedgerStore {
  let begun = log.disks.get(name) ?? EMPTY;
  let since: readonly Written[] = [];
  // What the process sees: all that it wrote.
  let seen = begun;
  const keep = (some: readonly Written[]): void => {
    for (const each of some) each.isKept = true;
    const kept = since.filter(({ isKept }) => isKept);
    log.disks.set(
      name,
      kept.reduce((on, { batch }) => written(batch, on), begun),
    );
  };
  const add = (batch: StoreBatch): Written => {
    const each = { batch, isKept: false };
    since = [...since, each];
    seen = written(batch, seen);
    treeFrom(seen.entries.flatMap((entry) => entry ?? []));
    return each;
  };
  let keys = new SortedKeys();
  const addKeys = (rows: Iterable<SealedRow>): void => {
    for (const { table, key } of rows) if (!KEYED_TABLES.has(table)) keys.add(`${table}\0${key}`);
  };
  return {
    readOnly: undefined,
    reopen: () => Promise.resolve(),
    async commit(batch, { sync = true } = {}) {
      addKeys(batch.views);
      if ((sync || !log.power) && !log.broken.has('store')) {
        await world.call(name, 'commit', () => keep([add(batch)]));
        return;
      }
      const each = add(batch);
      world.behind(
        name,
        `write back ${batch.entries[0]?.seq}`,
        () => keep([each]),
        () => !each.isKept,
      );
    },
    async sync() {
      const before = since;
      if (log.power && !log.broken.has('store')) await world.call(name, 'sync', () => keep(before));
    },
    head: () => Promise.resolve(seen.head),
    entry: (seq) => Promise.resolve(seen.entries[seq]),
    async *entries(start, end) {
      for (const entry of seen.entries.slice(start, end)) if (entry !== undefined) yield entry;
    },
    tile: () => Promise.resolve(undefined),
    async *views() {
      yield* seen.views.values();
    },
    async *rows() {
      yield* [];
    },
    async rewrite(size, { views, head }) {
      const rows = new Map<string, SealedRow>();
      for await (const row of views) rows.set(`${row.table}\0${row.key}`, row);
      await world.call(name, 'rewrite', () => {
        begun = { entries: seen.entries.slice(0, size), views: rows, head };
        since = [];
        seen = begun;
        log.disks.set(name, begun);
      });
    },
    settle: () => Promise.resolve(),
    view: (table, key) => seen.views.get(`${table}\0${key}`),
    viewKeys: () => {
      keys = new SortedKeys();
      addKeys(seen.views.values());
      return Promise.resolve(keys);
    },
    hasKey: () => true,
    scratch: () => Promise.reject(new TypeError('no log here is long')),
    close: () => Promise.resolve(),
  };
}

/** The guard that every process of the log shares. */
export function exploredGuard(world: Explored, log: LogWorld, name: string): HeadGuard {
  let epoch: number | undefined;
  let floor = 0;
  let early: GuardState | undefined;
  const write = (label: string, next: GuardState): void => {
    early = next;
    void world.call(name, label, () => void (log.guard = next));
  };
  const taken = ({ row, pending }: GuardState, writer: string): GuardState => ({
    row: { epoch: (row?.epoch ?? 0) + 1, writer, head: row?.head },
    pending,
  });
  const moved = ({ row, pending }: GuardState, batch: PendingBatch): GuardState => ({
    row: { ...(row as GuardRow), head: batch.to },
    pending: [...pending, batch].filter(({ to }) => to.size > floor),
  });
  return {
    look: () => world.call(name, 'look at guard', () => log.guard.row, READ),
    peek: () => Promise.reject(new TypeError('every epoch here is taken')),
    async take(writer) {
      if (log.broken.has('guard')) {
        const next = taken(early ?? log.guard, writer);
        epoch = next.row?.epoch;
        write('late take', next);
        return { ...(next.row as GuardRow), pending: next.pending };
      }
      return world.call(name, 'take guard', () => {
        log.guard = taken(log.guard, writer);
        epoch = log.guard.row?.epoch;
        return { ...(log.guard.row as GuardRow), pending: log.guard.pending };
      });
    },
    async move(batch) {
      if (log.broken.has('guard')) {
        const held = early ?? log.guard;
        requireOwned(held.row, epoch, batch.from);
        write('late move', moved(held, batch));
        return;
      }
      await world.call(name, 'move guard', () => {
        if (!log.broken.has('comparing')) requireOwned(log.guard.row, epoch, batch.from);
        log.guard = moved(log.guard, batch);
      });
    },
    async settled(size) {
      floor = Math.max(floor, size);
    },
    reopen: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** The log's signer: whoever may have a signature has it, from the moment that it is made. */
function releasing(log: LogWorld): LocalCheckpointSigner {
  return {
    ...LOG_SIGNER,
    sign(size, root) {
      const signed = LOG_SIGNER.sign(size, root);
      log.release(signed);
      return signed;
    },
  };
}

/** Sends a request to the witness, and waits for the answer or the news that it has gone. */
async function ask(
  world: Explored,
  log: LogWorld,
  name: string,
  bytes: Uint8Array,
): Promise<WitnessAnswer> {
  const box: { answer?: WitnessAnswer; error?: unknown } = {};
  const start = await world.call(name, 'request', () => {
    const { serve } = log;
    const up = world.startOf(WITNESS);
    if (up === undefined || serve === undefined) throw new Fault('unreachable', 'witness');
    world.tell(WITNESS, bytes);
    void serve(bytes).then(
      (answer) => (box.answer = answer),
      (error: unknown) => (box.error = error),
    );
    return up;
  });
  return world.call(
    name,
    'answer',
    () => {
      if (box.answer !== undefined) return box.answer;
      throw new Fault('unreachable', 'witness', { cause: box.error });
    },
    {
      isReady: () =>
        box.answer !== undefined || box.error !== undefined || world.startOf(WITNESS) !== start,
      isRead: true,
      state: () => digest([box.answer, String(box.error), world.startOf(WITNESS) !== start]),
    },
  );
}

/** What the publish stage asks of the witness: `old` is what it says, or nothing. */
export function exploredStage(world: Explored, log: LogWorld, name: string): WitnessStage {
  return {
    required: 1,
    async gather(signed, size, _root, consistency) {
      let old = 0;
      for (let i = 0; i < 2; i += 1) {
        const proof = await consistency(old, size);
        const request = formatWitnessRequest({ old, proof, checkpoint: signed });
        const { status, contentType, body } = await ask(world, log, name, request);
        if (status === 200) return concatBytes(signed, formatUtf8(body));
        if (status !== 409 || contentType !== SIZE_TYPE) break;
        old = Number(body);
      }
      throw new Fault('refused', 'witness');
    },
  };
}

/** The witness's memory, on a disk of its own. */
export function exploredMemory(world: Explored, log: LogWorld): WitnessMemory {
  let early: WitnessHead | undefined;
  return {
    read: () => Promise.resolve(early ?? log.held),
    async swap(_origin, expected, next) {
      if (log.broken.has('witness memory')) {
        requireSame(early ?? log.held, expected);
        early = next;
        void world.call(WITNESS, 'late memory', () => void (log.held = next));
        return;
      }
      await world.call(WITNESS, 'write memory', () => {
        requireSame(log.held, expected);
        log.held = next;
      });
    },
  };
}

/** The witness: it answers whoever asks. */
export function witnessProgram(log: LogWorld, crashes: number): Program {
  return {
    name: WITNESS,
    crashes,
    run(world) {
      const witness = new Witness({
        name: 'witness.example/explored',
        signer: WITNESS_SIGNER,
        logs: [{ origin: ORIGIN, keys: [{ vkey: LOG_SIGNER.vkey, lastSize: null }] }],
        memory: exploredMemory(world, log),
        sha256: nodeSha256,
        now: () => NOON,
      });
      log.serve = async (bytes) => {
        const answer = await witness.addCheckpoint(bytes);
        if (answer.status === 200) {
          const text = Buffer.from(bytes).toString();
          log.cosigned.add(parseNote(formatUtf8(text.slice(text.indexOf('\n\n') + 2))).text);
        }
        return answer;
      };
      return Promise.resolve();
    },
  };
}

/** The database is synced behind each commit, so that there is no clock. */
export const SETTLING: SettlingLimits = { bytes: 0, ms: 0, mostBytes: Number.POSITIVE_INFINITY };

export interface PublisherOptions {
  readonly name: string;
  readonly crashes: number;
  /** Entries that the log is to come to, genesis among them. */
  readonly size: number;
  readonly isWitnessed: boolean;
  /** Whether the witness is asked for its newest head at the start. */
  readonly asks: boolean;
  /** Whether a second caller comes while the first waits. */
  readonly isCrowded: boolean;
}

/** A process of the publisher's, with two callers that append. */
export function publisherProgram(log: LogWorld, options: PublisherOptions): Program {
  const { name, crashes, size, isWitnessed, asks, isCrowded } = options;
  return {
    name,
    crashes,
    async run(world, start) {
      const askHeads: AskHeads = () =>
        world.call(
          name,
          'ask heads',
          () => {
            const { held } = log;
            if (world.startOf(WITNESS) === undefined) throw new Fault('unreachable', 'witness');
            return held === undefined ? [] : [{ holder: WITNESS, checkpoint: held }];
          },
          READ,
        );
      const ledger = await Ledger.open({
        sha256: nodeSha256,
        store: exploredStore(world, log, name),
        guard: exploredGuard(world, log, name),
        signer: releasing(log),
        now: () => NOON,
        askHeads: asks ? askHeads : null,
        settling: SETTLING,
        ...(isWitnessed ? { witness: exploredStage(world, log, name) } : {}),
        onPublish: (published) => log.release(published.note),
      }).catch((error: unknown) => {
        log.refused = String(error);
        throw error;
      });
      const append = async (): Promise<void> => {
        const builtOn = ledger.nextSeq;
        const draft = note(`${name} ${start} ${builtOn}`);
        for (const { seq, leaf } of await ledger.write(() => [draft])) {
          log.told.add(`${seq} ${leaf}`);
        }
      };
      // Nobody waits for the one before where the callers are several: what comes is committed together.
      const appends: Promise<void>[] = [];
      while (ledger.nextSeq < size) {
        appends.push(append());
        if (isCrowded) await world.call(name, 'next caller', () => undefined, READ);
        else await appends.at(-1);
      }
      await Promise.all(appends);
    },
  };
}

/** The disk and the guard of a log that has its genesis, and nothing else. */
export interface Begun {
  readonly disk: Disk;
  readonly guard: GuardState;
}

/** Begins a log as a publisher does, once. */
export async function begin(): Promise<Begun> {
  let disk = EMPTY;
  const shared: SharedRow = { row: undefined, pending: [] };
  const log = new LogWorld();
  const at: Pick<Explored, 'call' | 'behind'> = {
    call: (_name, _label, carryOut) => Promise.resolve(carryOut()),
    behind: () => undefined,
  };
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: exploredStore(at, log, 'first'),
    guard: new MemoryHeadGuard(shared),
    signer: LOG_SIGNER,
    now: () => NOON,
    askHeads: null,
  });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.close();
  disk = log.disks.get('first') ?? EMPTY;
  return { disk, guard: { ...shared } };
}

/** A world of one log whose processes `names` begin on copies of its genesis. */
export function worldOf(
  begun: Begun,
  names: readonly string[],
  broken: readonly Broken[] = [],
): LogWorld {
  const log = new LogWorld(broken);
  log.guard = begun.guard;
  const { row } = begun.guard;
  if (row?.head !== undefined) log.release(LOG_SIGNER.sign(row.head.size, row.head.root));
  for (const name of names) log.disks.set(name, begun.disk);
  return log;
}

export function scenarioOf(
  log: LogWorld,
  programs: readonly Program[],
  events: Scenario['events'] = [],
): Scenario {
  return {
    programs,
    events,
    durable: () => log.durable(),
    released: () => log.released(),
    check: () => log.check(),
  };
}

/** A process of somebody who has the log's key and shows the witness a history of its own. */
export function forkingProgram(log: LogWorld, name: string, begun: Begun, size: number): Program {
  return {
    name,
    crashes: 0,
    async run(world) {
      const entries = begun.disk.entries.flatMap((entry) => entry ?? []);
      for (let i = 1; i < size; i += 1) entries.push(formatUtf8(`${name} ${i}`));
      for (let n = 2; n <= size; n += 1) {
        const leaves = treeFrom(entries.slice(0, n));
        const root = rootOf(nodeSha256, leaves);
        const prove: ProveConsistency = (from, to) =>
          Promise.resolve(
            consistencyRanges(from, to).map(({ start, end }) =>
              rootOf(nodeSha256, leaves.slice(start, end)),
            ),
          );
        const { gather } = exploredStage(world, log, name);
        await gather(LOG_SIGNER.sign(n, root), n, root, prove).catch(() => undefined);
      }
    },
  };
}
