import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { arenaRuleHash, type RoundRule } from '@assay/core/arena/rule/arena-rule';
import { roundId } from '@assay/core/arena/forecast/round-id';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { HashHex } from '@assay/core/hash/hash';
import {
  forecastMessage,
  plainCommitment,
  sealedMessage,
} from '@assay/core/arena/forecast/forecast-message';
import { keyHandle } from '@assay/core/arena/forecast/handle';
import { ruleHash } from '@assay/core/rule/rule';
import { roundTime } from '@assay/core/timelock/beacon-chain';
import { signRound } from '@assay/core/timelock/beacon-key';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import { formatNote, parseNote } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { parseTime, toDate } from '@assay/core/time/time';
import { dueRounds } from '@assay/core/arena/round-draft';
import { logRow } from '@assay/core/view/log';
import { type RoundRow, roundRow } from '@assay/core/view/rounds';
import {
  ForecastIntake,
  type ForecastIntakeParts,
  type ForecastAnswer,
  type AcceptedForecast,
} from '@assay/node/arena/forecast-intake';
import { isBodyFault, parseForecastBody } from '@assay/node/arena/forecast-body';
import { ArenaLoop, type ArenaLoopParts } from '@assay/node/arena/arena-loop';
import { FreezeNotes } from '@assay/node/arena/freeze-notes';
import { ForecastRows } from '@assay/node/arena/forecast-rows';
import { HandleStore } from '@assay/node/arena/handle-store';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import type { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ARENA, arenaRule, DAILY, witnessedNote } from '../../core/arena/arena-log.ts';
import { OWN_SECRET } from '../../core/timelock/timelock-vectors.ts';
import { sampleReport } from '../../core/fixture/fixture.ts';
import { SIGNATURE } from '../../core/view/small-log.ts';
import {
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  type Place,
  REPORT_SIGNER,
  temporaryFolder,
  testSigner,
} from '../ledger/ledger-fixture.ts';

export const ROUND = roundId(DAILY.ticker, toDate('2026-08-03'));
/** While the round of 3 August is open: from 01:30 to 07:30 of 4 August. */
export const OPEN = '2026-08-04T02:00:00Z';
export const CLOSE = '2026-08-04T07:30:00Z';
export const UNSEALS = '2026-08-04T07:31:00Z';
export const RELEASE = '2026-08-04T08:30:00Z';

/** Where an arena of a test keeps what it has: it survives the process that a test pretends to end. */
export interface ArenaPlace {
  readonly place: Place;
  readonly folder: string;
  readonly blobs: MemoryBlobStore;
  readonly clock: { now: number };
  /** When the witnesses sign, and how many of them; undefined while they are silent. */
  witness: { readonly time: string; readonly count: number } | undefined;
  /** Whether the beacon gives what is out. */
  beacon: boolean;
  /** Called before and after everything that the loop stores or asks for; it may throw. */
  onCall: (when: 'before' | 'after', what: string) => void;
}

/** A log with a daily index, its arena rule and one print, on a clock that a test moves. */
export class ArenaWorld {
  readonly at: ArenaPlace;
  readonly ledger: Ledger;
  readonly handles: HandleStore;
  readonly rows: ForecastRows;
  readonly intake: ForecastIntake;
  readonly notes: FreezeNotes;
  readonly loop: ArenaLoop;
  /** The steps of rounds, and what could not be done. */
  readonly steps: string[] = [];
  readonly errors: unknown[] = [];
  #next: ArenaWorld | undefined;

  private constructor(
    at: ArenaPlace,
    ledger: Ledger,
    handles: HandleStore,
    change: Partial<ForecastIntakeParts>,
    loop: Partial<ArenaLoopParts>,
  ) {
    this.at = at;
    this.ledger = ledger;
    this.handles = handles;
    this.rows = new ForecastRows(join(at.folder, 'forecasts'), { sync: false });
    this.intake = new ForecastIntake({
      ledger,
      handles,
      rows: this.rows,
      signer: REPORT_SIGNER,
      sha256: nodeSha256,
      elapsed: () => at.clock.now,
      perMinute: 100_000,
      onError: (error) => this.errors.push(error),
      ...change,
    });
    this.notes = new FreezeNotes(join(at.folder, 'freezes'), { sync: false });
    this.loop = new ArenaLoop({
      ledger,
      blobs: {
        get: at.blobs.get,
        put: (bytes) => this.#call('blobs.put', () => at.blobs.put(bytes)),
      },
      rows: this.rows,
      notes: this.notes,
      intake: this.intake,
      beaconOf: (chain) => ({
        chain,
        signature: (round) =>
          this.#call('beacon', () => {
            const isOut = at.beacon && at.clock.now >= roundTime(chain, round);
            return Promise.resolve(isOut ? signRound(parseHex(OWN_SECRET), round) : undefined);
          }),
      }),
      openAll: (signature, sealed) =>
        this.#call('openAll', () =>
          Promise.resolve(sealed.map((bytes) => openSealed(signature, bytes))),
        ),
      sha256: nodeSha256,
      everyMs: 10,
      events: {
        onStep: (step, round) => this.steps.push(`${step} ${round}`),
        onError: (what, reason) => this.steps.push(`failed ${what}: ${reason}`),
      },
      ...loop,
    });
    this.#watchCalls(this.notes, ['put', 'drop'], 'notes');
    this.#watchCalls(this.rows, ['drop'], 'rows');
  }

  /** Makes methods of a store call `onCall`. */
  #watchCalls(store: object, methods: readonly string[], name: string): void {
    const own = store as Record<string, (...given: unknown[]) => Promise<unknown>>;
    for (const method of methods) {
      const work = own[method]?.bind(store);
      if (work === undefined) throw new TypeError(`no ${method} of ${name}`);
      own[method] = (...given) => this.#call(`${name}.${method}`, () => work(...given));
    }
  }

  async #call<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.at.onCall('before', what);
    const done = await work();
    this.at.onCall('after', what);
    return done;
  }

  /** Polls until nothing more is due now. */
  async poll(): Promise<void> {
    for (let i = 0; i < 4; i += 1) {
      await this.ledger.askWitnesses();
      await this.loop.poll();
      await this.loop.settled();
    }
  }

  static async begin(
    t: TestContext,
    change: Partial<ForecastIntakeParts> = {},
    rule: Partial<RoundRule> = {},
    loop: Partial<ArenaLoopParts> = {},
  ): Promise<ArenaWorld> {
    const clock = { now: parseTime('2026-07-01T12:00:00Z') };
    const folder = await temporaryFolder(t);
    const at: ArenaPlace = {
      place: await memoryPlace(),
      folder,
      blobs: new MemoryBlobStore(),
      clock,
      witness: { time: CLOSE, count: 2 },
      beacon: true,
      onCall: () => undefined,
    };
    const world = await ArenaWorld.open(at, change, loop);
    t.after(() => world.close());
    await world.ledger.write(() => [
      GENESIS_DRAFT,
      { kind: 'rule/1', body: { rule: DAILY } },
      { kind: 'arena-rule/1', body: { rule: arenaRule(rule) } },
    ]);
    await world.print('2026-08-02', '230000', '2026-08-03T08:40:00Z');
    return world;
  }

  static async open(
    at: ArenaPlace,
    change: Partial<ForecastIntakeParts> = {},
    loop: Partial<ArenaLoopParts> = {},
  ): Promise<ArenaWorld> {
    const ledger = await openAt(at.place, {
      now: () => at.clock.now,
      witness: {
        required: 0,
        gather: (note) => {
          if (at.witness === undefined) return Promise.reject(new Error('silent'));
          return Promise.resolve(witnessed(note, at.witness.time, at.witness.count));
        },
      },
    });
    const handles = await HandleStore.open(join(at.folder, 'handles'), {
      sha256: nodeSha256,
      sync: false,
    });
    return new ArenaWorld(at, ledger, handles, change, loop);
  }

  async close(): Promise<void> {
    await this.#next?.close();
    await this.handles.close();
    await this.rows.close();
  }

  /** Ends this process as a crash would, and starts another. */
  async restart(
    change: Partial<ForecastIntakeParts> = {},
    loop: Partial<ArenaLoopParts> = {},
  ): Promise<ArenaWorld> {
    await this.loop.stop();
    await this.handles.close();
    await this.rows.close();
    this.#next = await ArenaWorld.open(this.at, change, loop);
    return this.#next;
  }

  time(text: string): void {
    this.at.clock.now = parseTime(text);
  }

  get log(): HashHex {
    const row = logRow(this.ledger.tip);
    return row?.log as HashHex;
  }

  get arenaHash(): HashHex {
    return arenaRuleHash(nodeSha256, arenaRule());
  }

  round(id: string = ROUND): RoundRow {
    return roundRow(this.ledger.tip, id) as RoundRow;
  }

  /** The report that ends a period. */
  async print(
    period: string,
    value: string | null,
    time: string,
    change: object = {},
  ): Promise<void> {
    this.time(time);
    const report = sampleReport('final', {
      log: this.log,
      rule: { hash: ruleHash(nodeSha256, DAILY), version: DAILY.version },
      period,
      value,
      published_at: time,
      decimals: DAILY.decimals,
      supersedes: null,
      ...change,
    });
    await this.ledger.write(() => [{ kind: 'report/1', body: { report, signature: SIGNATURE } }]);
  }

  /** A version of the index's rule that releases every number from 2026-08-02 on at `local` UTC. */
  async moveRelease(local: string): Promise<void> {
    const release = { ...DAILY.release, local };
    const change = { version: DAILY.version + 1, applies_from: toDate('2026-08-02'), release };
    await this.ledger.write(() => [{ kind: 'rule/1', body: { rule: { ...DAILY, ...change } } }]);
  }

  /** Opens the rounds that are due. */
  async openRounds(time: string = OPEN): Promise<void> {
    this.time(time);
    await this.ledger.write(({ views, at }) =>
      dueRounds(views, nodeSha256, parseTime(at)).map((body) => ({ kind: 'round/1', body })),
    );
  }

  /** Sends a body as the API would. */
  send(
    json: object,
    { client = '192.0.2.1', key }: { readonly client?: string; readonly key?: string } = {},
  ): Promise<ForecastAnswer> {
    const body = parseForecastBody({ question: ROUND, ...json });
    if (isBodyFault(body)) {
      return Promise.resolve({ kind: 'invalid_forecast', detail: `${body.at}: ${body.expected}` });
    }
    return this.intake.submit({ body, client, idempotencyKey: key });
  }

  async accepted(json: object, options: { readonly key?: string } = {}): Promise<AcceptedForecast> {
    const answer = await this.send(json, options);
    if (answer.kind !== 'accepted') throw new Error(`${answer.kind}: ${answer.detail}`);
    return answer;
  }

  /** Sealed bytes for a handle, hex. */
  sealed(handle: string, value: bigint, id: string = ROUND): string {
    const message = sealedMessage(nodeSha256, { log: this.log, round: id, handle }, value);
    const sealer = sealTo(ARENA.drand, this.round(id).body.drand_round);
    return formatHex(sealer.seal(message, randomBytes(32)));
  }

  /** A signed plain forecast of a handle with a key. */
  signed(seed: number, counter: number, value: bigint, change: object = {}): object {
    const signer = testSigner(seed);
    const handle = keyHandle(nodeSha256, signer.publicKey);
    const [nonce, salt] = [formatHex(randomBytes(32)), formatHex(randomBytes(32))];
    const subject = { log: this.log, round: ROUND, handle };
    const commitment = plainCommitment(nodeSha256, subject, parseHex(salt), value);
    const message = forecastMessage(nodeSha256, {
      ...subject,
      counter,
      nonce,
      sealed: null,
      commitment,
    });
    return {
      handle: `keyed-${seed}`,
      key: formatHex(signer.publicKey),
      counter,
      nonce,
      salt,
      value: value.toString(),
      signature: formatHex(signer.sign(message)),
      ...change,
    };
  }
}

/** A note with the lines of `count` witnesses, signed at `time`. */
function witnessed(note: Uint8Array, time: string, count: number): Uint8Array {
  const { text, signatures } = parseNote(note);
  const lines = parseNote(formatUtf8(witnessedNote(text, parseTime(time), count))).signatures;
  return formatNote({ text, signatures: [...signatures, ...lines] });
}
