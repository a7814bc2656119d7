import assert from 'node:assert/strict';
import { feedAddress, pageAddress } from '@assay/chain/addresses';
import {
  addRule,
  addSet,
  cancel,
  type FeedParameters,
  initFeed,
  openPage,
  type ProgramInstruction,
  rotate,
} from '@assay/chain/instructions';
import { concatBytes } from '@assay/core/bytes/bytes';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatFeed } from '@assay/core/feed/feed-account';
import { CADENCES } from '@assay/core/feed/ordinal';
import { formatPage } from '@assay/core/feed/page-account';
import { seriesId } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { sha256 } from '../../core/fixture/fixture.ts';
import {
  fuzzWorld,
  modelOf,
  PAGE,
  requireState,
  restore,
  type State,
  stateOf,
} from './fuzz-world.ts';
import { isStrictKey } from './keys.ts';
import {
  type Model,
  modelAddRule,
  modelAddSet,
  modelInit,
  modelOpenPage,
  modelRotate,
} from '../fixture/model.ts';
import { hashOf } from '../fixture/party.ts';
import { PERIOD, PROGRAM, type World } from '../fixture/world.ts';

/** What the model makes of an instruction's data: the account that changes and its bytes; null is a refusal. */
type Reading = (data: Uint8Array) => readonly [Address, Uint8Array] | null;

interface Subject {
  readonly instruction: ProgramInstruction;
  readonly read: Reading;
}

interface Edit {
  readonly name: string;
  /** Whose data is sent: mostly its own. */
  readonly data: string;
  readonly bytes: readonly (readonly [at: number, value: number])[];
  /** Bytes cut off, or zeros added. */
  readonly more: number;
}

const NAMES = ['init', 'open', 'rule', 'set', 'rotate', 'cancel'] as const;

const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 255));
const edits: fc.Arbitrary<Edit> = fc.constantFrom(...NAMES).chain((name) =>
  fc.record({
    name: fc.constant(name),
    data: fc.oneof(
      { weight: 8, arbitrary: fc.constant(name) },
      { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
    ),
    bytes: fc.array(
      fc.tuple(
        fc.oneof(fc.nat(8), fc.nat(300), fc.constantFrom(20, 116, 148, 149, 150, 151, 152)),
        byte,
      ),
      { maxLength: 3 },
    ),
    more: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(-32, -4, -1, 1, 32) },
    ),
  }),
);

/**
 * Instructions with bytes of their data changed, cut, added or taken from another: the program takes
 * exactly what the model takes, and writes what it writes.
 */
export async function fuzzData(runs: number): Promise<ReadonlyMap<string, number>> {
  const world = await fuzzWorld();
  const before = stateOf(world);
  const subjects = await subjectsOf(world);
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(edits, async (edit) => {
      const { instruction, read } = subjects[edit.name] as Subject;
      const { data: own } = (subjects[edit.data] as Subject).instruction;
      const data =
        edit.more < 0
          ? own.slice(0, edit.more)
          : concatBytes(own, new Uint8Array(Math.max(0, edit.more)));
      for (const [at, value] of edit.bytes) if (at < data.length) data[at] = value;
      const change = read(data);
      const { error } = await world.send({ ...instruction, data });
      const key = `${edit.name}: ${error ?? 'done'}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      assert.equal(error === null, change !== null, key);
      const after: State = change === null ? before : new Map([...before, change]);
      requireState(world, after, key);
      if (change !== null) restore(world, before);
    }),
    { numRuns: runs },
  );
  return seen;
}

async function subjectsOf(world: World): Promise<Readonly<Record<string, Subject>>> {
  const { payer, publisher, next, recovery, cosigners, feed, parameters } = world;
  const held = await modelOf(world);
  const isKey = (key: HashHex): boolean => isStrictKey(Buffer.from(key, 'hex'));
  const model = (facts: Partial<Model['facts']> = {}): Model => ({
    ...held,
    pages: new Map(held.pages),
    facts: { ...held.facts, isKey, ...facts },
  });
  const jobs = { ...parameters, ticker: 'JOBS' as Ticker };
  const [newFeed, feedBump] = await feedAddress(PROGRAM, publisher.key, jobs.ticker);
  const [newPage, pageBump] = await pageAddress(PROGRAM, feed, PAGE + 1);
  const keys = cosigners.map(({ key }) => key);

  const init: Reading = (data) => {
    const asked = parametersOf(data);
    if (asked === undefined || asked.ticker !== jobs.ticker) return null;
    const log = asked.log as HashHex;
    const series = formatHex(seriesId(sha256, log, asked.ticker)) as HashHex;
    const made: Model = { ...model({ feedBump, series: () => series }), feed: null };
    return modelInit(made, asked) === null && made.feed !== null
      ? [newFeed, formatFeed(made.feed)]
      : null;
  };
  const open: Reading = (data) => {
    const made = model({ pageBump: () => pageBump });
    if (data.length !== 5 || viewOf(data).getUint32(1, true) !== PAGE + 1) return null;
    const refusal = modelOpenPage(made, PAGE + 1);
    const page = made.pages.get(PAGE + 1);
    return refusal === null && page !== undefined ? [newPage, formatPage(page)] : null;
  };
  const written = (made: Model, refusal: string | null): readonly [Address, Uint8Array] | null =>
    refusal === null && made.feed !== null ? [feed, formatFeed(made.feed)] : null;
  const rule: Reading = (data) => {
    if (data.length !== 37) return null;
    const made = model();
    const first = viewOf(data).getInt32(33, true);
    return written(made, modelAddRule(made, publisher.key, hexAt(data, 1), first));
  };
  const set: Reading = (data) => {
    const [, threshold = 0, count = 0] = data;
    if (data.length !== 3 + 32 * count || data.length < 3) return null;
    const made = model();
    const said = Array.from({ length: count }, (_, i) => hexAt(data, 3 + 32 * i));
    return written(made, modelAddSet(made, publisher.key, threshold, said));
  };
  const rotating: Reading = (data) => {
    if (data.length !== 33) return null;
    const made = model();
    return written(made, modelRotate(made, publisher.key, next.key, hexAt(data, 1)));
  };
  // Rules and sets stand on the same accounts; no other instruction shares all of its own.
  const byNumber =
    (readings: Readonly<Record<number, Reading>>): Reading =>
    (data) =>
      readings[data[0] ?? -1]?.(data) ?? null;
  return {
    init: {
      instruction: initFeed(PROGRAM, payer.signer, publisher.signer, newFeed, jobs),
      read: byNumber({ 0: init }),
    },
    open: {
      instruction: openPage(PROGRAM, payer.signer, feed, newPage, PAGE + 1),
      read: byNumber({ 1: open }),
    },
    rule: {
      instruction: addRule(PROGRAM, publisher.signer, feed, hashOf('rule 2'), PERIOD + 21),
      read: byNumber({ 4: rule, 5: set }),
    },
    set: {
      instruction: addSet(PROGRAM, publisher.signer, feed, 2, keys),
      read: byNumber({ 4: rule, 5: set }),
    },
    rotate: {
      instruction: rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')),
      read: byNumber({ 6: rotating }),
    },
    // No rotation waits.
    cancel: {
      instruction: cancel(PROGRAM, recovery.signer, feed, ['rotation']),
      read: byNumber({}),
    },
  };
}

/** What the data of `init_feed` says; undefined where it cannot be. */
function parametersOf(data: Uint8Array): FeedParameters | undefined {
  const [, cadenceCode = 0, decimals = 0, threshold = 0, count = 0] = data;
  const cadence = CADENCES[cadenceCode - 1];
  if (data.length !== 153 + 32 * count || cadence === undefined) return undefined;
  return {
    cadence,
    decimals,
    threshold,
    ticker: String.fromCharCode(...data.subarray(5, 21)).replace(/\0+$/, '') as Ticker,
    log: hexAt(data, 21),
    nextHash: hexAt(data, 53),
    recoveryHash: hexAt(data, 85),
    rule: hexAt(data, 117),
    first: viewOf(data).getInt32(149, true),
    cosigners: Array.from({ length: count }, (_, i) => hexAt(data, 153 + 32 * i)),
  };
}

function hexAt(bytes: Uint8Array, at: number): HashHex {
  return formatHex(bytes.subarray(at, at + 32)) as HashHex;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
