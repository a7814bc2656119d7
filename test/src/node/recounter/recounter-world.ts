import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { type Statement, statementMessage } from '@assay/core/report/statement';
import { cosignsOf, dissentsOf } from '@assay/core/view/cosigns';
import { statements } from '@assay/core/view/statements';
import type { ReportRow } from '@assay/core/view/reports';
import { logRoutes } from '@assay/node/api/log-routes';
import { statementRoutes } from '@assay/node/api/statement-routes';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { appendGenesis } from '@assay/node/data/genesis';
import { pipeline } from '@assay/node/http/pipeline';
import { problem } from '@assay/node/http/problem';
import { JSON_TYPE, whole } from '@assay/node/http/reply';
import type { ApiRequest } from '@assay/node/http/request';
import { route, type Route } from '@assay/node/http/route';
import { httpServer } from '@assay/node/http/server';
import { NO_POLICIES } from '@assay/node/data/init';
import { checkpointSigner, type Signer } from '@assay/node/ledger/checkpoint-signer';
import type { HeadGuard } from '@assay/node/ledger/guard/head-guard';
import { Ledger } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { LastSigned } from '@assay/node/ledger/guard/last-signed';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import type { NoteSlot } from '@assay/node/ledger/guard/note-slot';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import type { LogRecord } from '@assay/node/ledger/record';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { makeLogger } from '@assay/node/production/logger';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import type { MirrorReader } from '@assay/node/mirror/served-log';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { MemorySignedPrints, type SignedPrints } from '@assay/node/cosign/signed-prints';
import { FindingStore } from '@assay/node/recounter/finding-store';
import { memoryClosingPlace } from '@assay/node/mirror/closing-place';
import type { CopyData, RecounterData } from '@assay/node/recounter/recounter-data';
import { postTo } from '@assay/node/recounter/publisher-post';
import { Receipts } from '@assay/node/recounter/poll/receipts';
import { MemoryReadStore, type ReadStore } from '@assay/node/recounter/read-store';
import { startRecounter } from '@assay/node/recounter/recounter';
import type {
  PostStatement,
  RecounterParts,
  RunningRecounter,
} from '@assay/node/recounter/recounter-parts';
import { MemoryWitnessMemory } from '@assay/node/witness/server/witness-memory';
import { bound, CHECKPOINTS, testSigner } from '../ledger/ledger-fixture.ts';
import { ScriptedSource } from '../fixture/round-fixture.ts';
import { CosignedWorld, SEEDS, SHOWN } from '../cosign/cosigner-fixture.ts';

const QUIET = makeLogger(process.env['TEST_LOG'] ?? 'silent');
const QUOTAS = { default: 100_000, log: 100_000 };

/** Every call of something that outlives a process goes through here: where one may end. */
export type Through = <T>(where: string, work: () => Promise<T>) => Promise<T>;
const straight: Through = (_, work) => work();

/** What lies on the disk of a recounter, over its restarts. */
export class Disk {
  readonly signer: Signer = testSigner(SEEDS[0]);
  readonly store: LedgerStore;
  readonly guard: HeadGuard = new MemoryHeadGuard();
  readonly lastSigned = new LastSigned(new MemoryNoteSlot());
  memory = new MemorySignedPrints();
  readonly reads = new MemoryReadStore();
  readonly blobs = new MemoryBlobStore();
  readonly kept = new MemoryBlobStore();
  readonly mirror: CopyData;
  readonly peers = new Map<string, Promise<CopyData>>();
  readonly findings = FindingStore.memory();
  readonly acknowledged = new Set<HashHex>();
  readonly receipts: Receipts;
  readonly evidence = new MemoryBlobStore();
  readonly cosigned = new MemoryWitnessMemory();
  /** Every message that the key of words has signed, and every statement that was in the memory before. */
  readonly signed: string[] = [];
  readonly written = new Set<string>();
  /** Bytes that are left on it. */
  free = 10 ** 12;

  private constructor(store: LedgerStore, mirror: CopyData, receipts: Receipts) {
    this.receipts = receipts;
    this.store = store;
    this.mirror = mirror;
  }

  static async make(): Promise<Disk> {
    const mirror = {
      store: await kept(),
      accepted: new MemoryNoteSlot(),
      closing: memoryClosingPlace(),
    };
    const disk = new Disk(await kept(), mirror, await Receipts.open(null));
    const { checkpoints, guard, store, signer } = disk.data();
    void signer;
    const ledger = await Ledger.open({
      sha256: nodeSha256,
      store,
      guard,
      signer: checkpoints,
      now: () => 0,
      askHeads: null,
    });
    await appendGenesis(
      ledger,
      nodeSha256,
      { report: disk.signer, nextReport: testSigner(61), recovery: testSigner(62) },
      {
        origin: checkpoints.origin,
        checkpointVkey: checkpoints.vkey,
        chain: null,
        program: null,
        policies: NO_POLICIES,
      },
    );
    return disk;
  }

  get key(): string {
    return formatHex(this.signer.publicKey);
  }

  data(through: Through = straight): RecounterData & { readonly signer: Signer } {
    const { signer, signed, written, findings } = this;
    const watched: Signer = {
      publicKey: signer.publicKey,
      sign: (message) => {
        const text = formatHex(message);
        const isStatement =
          Buffer.from(message).subarray(0, 18).toString() === 'assay/statement/v1';
        assert.ok(!isStatement || written.has(text), 'the memory has it before it is signed');
        signed.push(text);
        return signer.sign(message);
      },
    };
    const memory: SignedPrints = {
      said: (report) => this.memory.said(report),
      all: () => this.memory.all(),
      write: (statement) =>
        through('memory', async () => {
          await this.memory.write(statement);
          written.add(formatHex(statementMessage(statement)));
        }),
    };
    const reads: ReadStore = {
      of: this.reads.of,
      list: this.reads.list,
      forget: this.reads.forget,
      keep: (...args) => through('reads', () => this.reads.keep(...args)),
    };
    const heldFindings = Object.create(findings, {
      hold: {
        value: (...args: Parameters<FindingStore['hold']>) =>
          through('hold', () => findings.hold(...args)),
      },
      end: { value: (...args: Parameters<FindingStore['end']>) => findings.end(...args) },
      list: { value: () => findings.list() },
      open: { value: () => findings.open() },
      more: { value: () => findings.more() },
      has: { value: (...args: Parameters<FindingStore['has']>) => findings.has(...args) },
    }) as FindingStore;
    return {
      signer,
      store: throughStore(this.store, 'own log', through),
      guard: throughGuard(this.guard, 'own head', through),
      signed: this.lastSigned,
      checkpoints: checkpointSigner(nodeSha256, 'development/recounter', testSigner(51)),
      policies: NO_POLICIES,
      statement: watched,
      witness: testSigner(52),
      cosigned: this.cosigned,
      memory,
      reads,
      blobs: throughBlobs(this.blobs, 'blob', through),
      kept: throughBlobs(this.kept, 'kept', through),
      mirror: {
        store: throughStore(this.mirror.store, 'mirror', through),
        accepted: throughSlot(this.mirror.accepted, 'accepted', through),
        closing: this.mirror.closing,
      },
      peer: async (url) => {
        const known =
          this.peers.get(url) ??
          kept().then((store): CopyData => {
            return { store, accepted: new MemoryNoteSlot(), closing: memoryClosingPlace() };
          });
        this.peers.set(url, known);
        return known;
      },
      findings: heldFindings,
      acknowledged: this.acknowledged,
      receipts: this.receipts,
      evidence: throughBlobs(this.evidence, 'evidence', through),
      disk: async () => ({ own: 1, publisher: 2, peers: 3, free: this.free }),
      close: () => Promise.resolve(),
    };
  }
}

/** A store in memory that a ledger's end does not close. */
async function kept(): Promise<LedgerStore> {
  return { ...bound(await openMemoryStore()), close: () => Promise.resolve() };
}

function throughStore(store: LedgerStore, name: string, through: Through): LedgerStore {
  return { ...store, commit: (...args) => through(name, () => store.commit(...args)) };
}

function throughGuard(guard: HeadGuard, name: string, through: Through): HeadGuard {
  const { look, peek, settled, reopen } = guard;
  return {
    look,
    peek,
    settled,
    reopen,
    take: (...args) => through(name, () => guard.take(...args)),
    move: (batch) => through(name, () => guard.move(batch)),
    close: () => Promise.resolve(),
  };
}

function throughSlot(slot: NoteSlot, name: string, through: Through): NoteSlot {
  return {
    read: () => slot.read(),
    reopen: () => slot.reopen(),
    close: () => Promise.resolve(),
    swap: (...args) => through(name, () => slot.swap(...args)),
  };
}

function blobsOf({ get, read, checked, has, verify, list }: BlobStore): Omit<BlobStore, 'put'> {
  return { get, read, checked, has, verify, list };
}

function throughBlobs(blobs: BlobStore, name: string, through: Through): BlobStore {
  return { ...blobsOf(blobs), put: (bytes) => through(name, () => blobs.put(bytes)) };
}

/** How a publisher takes words. */
export type Manners = 'takes' | 'refuses' | 'busy' | 'drops';

/** A publisher of one index, over loopback HTTP: its ledger, its log's routes, its reception of words. */
export class TestPublisher {
  readonly world: CosignedWorld;
  manners: Manners = 'takes';
  /** Whose lines a recounter of it looks for, and what gives its checkpoints lines. */
  witnesses: readonly NoteKey[] = [];
  lines = (note: Uint8Array): Uint8Array => note;
  /** Entries under a head of the log's key, in the place of the ledger's. */
  forged: Pick<LogRecord, 'published' | 'tile'> | undefined;
  /** Every body that was brought. */
  readonly brought: string[] = [];
  #routes: readonly Route[];
  #close: (() => Promise<void>) | undefined;
  port = 0;

  private constructor(world: CosignedWorld) {
    this.world = world;
    this.#routes = statementRoutes(world.receive());
  }

  static async open(world?: CosignedWorld): Promise<TestPublisher> {
    const publisher = new TestPublisher(world ?? (await CosignedWorld.open()));
    await publisher.listen();
    return publisher;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async listen(): Promise<void> {
    const routes = [
      ...logRoutes(this.#record(), this.world.blobs),
      route('POST', '/statements', async (request) => {
        const body = await request.body();
        this.brought.push(Buffer.from(body).toString());
        if (this.manners === 'busy') return problem(request, 'halted');
        const answer = (status: number, value: object) =>
          whole(JSON_TYPE, JSON.stringify(value), { status });
        if (this.manners === 'refuses') {
          const found = { error: 'refused', at: 'verdict', expected: 'agree', found: 'dissent' };
          return answer(409, found);
        }
        if (this.manners === 'drops') return answer(201, { entry: { seq: 1 } });
        const [, take] = this.#routes;
        const again: ApiRequest = {
          method: request.method,
          path: request.path,
          query: request.query,
          params: request.params,
          client: request.client,
          signal: request.signal,
          header: (name) => request.header(name),
          body: () => Promise.resolve(body),
        };
        return take?.handle(again) ?? assert.fail();
      }),
    ];
    const served = pipeline(routes, {
      requestId: () => 'test',
      now: () => 0,
      onError: (error) => assert.fail(String(error)),
    });
    const server = await httpServer('node', served, {});
    const listening = await server.listen({ host: '127.0.0.1', port: this.port });
    this.port = listening.port;
    this.#close = () => listening.close();
  }

  #record(): LogRecord {
    const { ledger } = this.world;
    const lines = (note: Uint8Array): Uint8Array => this.lines(note);
    const source = (): Pick<LogRecord, 'published' | 'tile'> => this.forged ?? ledger;
    return {
      get published() {
        const { published } = source();
        return published && { ...published, note: lines(published.note) };
      },
      get shown() {
        return ledger.shown;
      },
      blocked: undefined,
      tile: (tile) => source().tile(tile),
      closingHead: (number) => ledger.closingHead(number),
    };
  }

  /** Takes words as after a restart: what the log does not hold is forgotten. */
  forget(): void {
    this.#routes = statementRoutes(this.world.receive());
  }

  async down(): Promise<void> {
    await this.#close?.();
  }
}

export interface RecounterChange extends Partial<RecounterParts> {
  readonly through?: Through;
  readonly post?: PostStatement;
}

/** A recounter of a publisher, with a source that a test scripts, that polls when it is told to. */
export async function recounterOn(
  disk: Disk,
  publisher: TestPublisher,
  { through = straight, post: given, ...change }: RecounterChange = {},
): Promise<{ readonly running: RunningRecounter; readonly source: ScriptedSource }> {
  const source = new ScriptedSource();
  source.show(SHOWN);
  const reader: MirrorReader = {
    get: (path, ...rest) => through('get', () => httpLogReader(publisher.url).get(path, ...rest)),
  };
  const post: PostStatement = (...args) =>
    through('post', () => (given ?? postTo(publisher.url))(...args));
  const running = await startRecounter({
    data: disk.data(through),
    name: 'Test',
    publisher: {
      url: publisher.url,
      reader,
      key: parseNoteKey(nodeSha256, CHECKPOINTS.vkey),
      logId: null,
      post,
      witnesses: publisher.witnesses,
    },
    peers: [],
    witness: true,
    askHeads: null,
    source,
    now: () => publisher.world.clock.now,
    random: randomBytes,
    sha256: nodeSha256,
    log: QUIET,
    metrics: true,
    pollMs: null,
    notice: null,
    host: '127.0.0.1',
    port: 0,
    transport: 'node',
    server: {},
    quotas: QUOTAS,
    ...change,
  });
  return { running, source };
}

/** What a publisher's log has of a co-signer on a report: `agree`, `dissent` or `nothing`. */
export function heldOf({ world }: TestPublisher, { hash }: ReportRow, key: string): string {
  const by = (each: { readonly statement: Statement }) => each.statement.cosigner === key;
  if (cosignsOf(world.ledger.tip, hash).some(by)) return 'agree';
  return dissentsOf(world.ledger.tip, hash).some(by) ? 'dissent' : 'nothing';
}

/** The words of a recounter's own log, as its readers see them. */
export async function ownStatements(disk: Disk): Promise<readonly string[]> {
  const { store, checkpoints } = disk.data();
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store,
    guard: disk.data().guard,
    signer: checkpoints,
    now: () => 0,
    askHeads: null,
  });
  return [...statements(ledger.shown)].map(
    ({ statement: { verdict, own } }) => `${verdict} ${own?.value ?? null}`,
  );
}
