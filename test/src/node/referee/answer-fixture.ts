import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ChangedTables } from '@assay/node/ledger/record';
import type { TestContext } from 'node:test';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Question } from '@assay/core/kind/question';
import { refereeDues } from '@assay/core/referee/referee-dues';
import { parseEntry } from '@assay/core/log/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseTime } from '@assay/core/time/time';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { Ledger } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { AnswerClosing } from '@assay/node/referee/answer-closing';
import { AnswerIntake, type Submission } from '@assay/node/referee/answer-intake';
import type { AnswerFolders } from '@assay/node/referee/question-files';
import { arenaRule, eventOf, OPENED } from '../../core/referee/referee-fixture.ts';
import {
  type BarePlace,
  CHECKPOINTS,
  GENESIS_DRAFT,
  type ProbeGuard,
  probeGuard,
  type ProbeStore,
  probeStore,
  REPORT_SIGNER,
  temporaryFolder,
} from '../ledger/ledger-fixture.ts';

const START = parseTime(OPENED);

/** A log with questions, and what takes and opens the answers to them. */
export class AnswerWorld {
  readonly ledger: Ledger;
  readonly store: ProbeStore;
  readonly guard: ProbeGuard;
  readonly folder: string;
  readonly folders: AnswerFolders;
  readonly blobs = new MemoryBlobStore();
  readonly failed: string[] = [];
  readonly closed: string[] = [];
  intake: AnswerIntake;
  closing: AnswerClosing;
  /** Unix seconds. */
  time = START;
  readonly #random: (size: number) => Uint8Array;
  onPublish: (size: number, tables: ChangedTables) => void = () => undefined;

  private constructor(
    ledger: Ledger,
    { store, guard }: BarePlace,
    folder: string,
    clock: { now: () => number },
    random: (size: number) => Uint8Array,
  ) {
    this.#random = random;
    this.ledger = ledger;
    this.store = store;
    this.guard = guard;
    this.folder = folder;
    this.folders = { callers: join(folder, 'callers'), openings: join(folder, 'answers') };
    clock.now = (): number => this.time;
    [this.intake, this.closing] = this.#make();
  }

  /** `symbols` have a question each, which closes after four hours. */
  static async open(
    t: TestContext,
    symbols: readonly string[] = ['SOL'],
    random: (size: number) => Uint8Array = randomBytes,
  ): Promise<AnswerWorld> {
    const store = probeStore(await openMemoryStore());
    const guard = probeGuard();
    const clock = { now: (): number => START };
    const made: { world?: AnswerWorld } = {};
    const ledger = await Ledger.open({
      store,
      guard,
      signer: CHECKPOINTS,
      sha256: nodeSha256,
      now: () => clock.now(),
      askHeads: null,
      onPublish: ({ size }, tables) => made.world?.onPublish(size, tables),
    });
    const world = new AnswerWorld(
      ledger,
      { store, guard },
      await temporaryFolder(t),
      clock,
      random,
    );
    made.world = world;
    const opens = symbols.map((symbol) => eventOf(symbol));
    await ledger.write(() => [
      GENESIS_DRAFT,
      { kind: 'arena-rule/1', body: { rule: arenaRule() } },
      ...opens.map((body): KnownBody => ({ kind: 'event/1', body })),
    ]);
    const leaves = new Map<string, never>();
    await ledger.write(({ views }) =>
      refereeDues(nodeSha256, views, { class: 'crypto', ts: START, leaves, opens }),
    );
    t.after(async () => {
      await world.closing.stop();
      await ledger.close();
    });
    return world;
  }

  /** The bodies of the log's entries of the Referee, in order. */
  async bodies(): Promise<readonly KnownBody[]> {
    const parse = bodyParser(nodeSha256);
    const bodies: KnownBody[] = [];
    for await (const bytes of this.ledger.entries(0, this.ledger.nextSeq)) {
      const { kind, body } = parseEntry(bytes);
      const known = parse(kind, body);
      if (known !== undefined) bodies.push(known);
    }
    return bodies;
  }

  async questions(): Promise<readonly Question[]> {
    return (await this.bodies()).flatMap((each) => (each.kind === 'question/1' ? [each.body] : []));
  }

  /** Another process over the same data, as after a crash. */
  async restart(): Promise<void> {
    await this.closing.stop();
    [this.intake, this.closing] = this.#make();
  }

  after(seconds: number): void {
    this.time = START + seconds;
  }

  #make(): [AnswerIntake, AnswerClosing] {
    const { ledger, folders, blobs } = this;
    const now = (): number => this.time;
    const intake = new AnswerIntake({
      ledger,
      folders,
      signer: REPORT_SIGNER,
      sha256: nodeSha256,
      now,
      random: (size) => new Uint8Array(this.#random(size)),
    });
    const closing = new AnswerClosing({
      ledger,
      blobs,
      intake,
      sha256: nodeSha256,
      now,
      everyMs: 20,
      onClosed: (question, count) => this.closed.push(`${question} ${count}`),
      onFailed: (question, reason) => this.failed.push(`${question ?? ''} ${reason}`),
    });
    return [intake, closing];
  }
}

/** Somebody's answer: the `i`th caller, of an address of his own unless it is given. */
export function submissionOf(
  question: string,
  i: number,
  change: Partial<Submission> = {},
): Submission {
  return {
    question,
    answer: i % 2 === 0 ? 'yes' : 'no',
    nonce: i.toString(16).padStart(64, '0'),
    address: `192.0.2.${i}`,
    userAgent: 'a browser 1.0',
    ...change,
  };
}
