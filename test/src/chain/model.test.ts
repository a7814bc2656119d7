import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAddress, feedAddress, pageAddress } from '@assay/chain/addresses';
import { formatCloseAccount } from '@assay/chain/close-account';
import { formatFeed, ruleNumberOf } from '@assay/chain/feed-account';
import {
  addRule,
  addSet,
  cancelRotation,
  close,
  dissent,
  type FeedParameters,
  initFeed,
  openPage,
  publish,
  rotate,
} from '@assay/chain/instructions';
import { ordinalOf, pagePlace, periodOfOrdinal } from '@assay/chain/ordinal';
import { formatPage } from '@assay/chain/page-account';
import { formatHex } from '@assay/core/hex';
import type { HashHex } from '@assay/core/hash';
import { formatPrint, type Print, seriesId } from '@assay/core/print';
import type { PeriodKind } from '@assay/core/rule/period';
import { getAddressEncoder } from '@solana/kit';
import fc from 'fast-check';
import { sha256 } from '../core/fixture.ts';
import {
  type Model,
  type ModelFacts,
  modelAddRule,
  modelAddSet,
  modelCancel,
  modelClose,
  modelDissent,
  modelInit,
  modelOpenPage,
  modelPublish,
  modelRotate,
} from './model.ts';
import { commitmentTo, hashOf, type Party, partyOf } from './party.ts';
import {
  closeBytes,
  DAY,
  dissentMessage,
  needsSvm,
  NOW,
  PROGRAM,
  proof,
  World,
  worldOf,
} from './world.ts';

/** Random sequences; thousands where the variable says so. */
const RUNS = Number(process.env['ASSAY_CHAIN_RUNS'] ?? 200);
const STEPS = 30;

/** Who acts: publisher, its followers, recovery, co-signers and others. */
const NAMES = [
  'publisher',
  'next publisher',
  'publisher 3',
  'publisher 4',
  'recovery',
  'co-signer 0',
  'co-signer 1',
  'co-signer 2',
  'co-signer 3',
  'co-signer 4',
];
const PUBLISHERS = NAMES.slice(0, 4);
const RULES = ['rule 1', 'rule 2', 'rule 3'].map(hashOf);
const LOGS = ['a log', 'another log'].map(hashOf);
const BAD_KEY = 'ff'.repeat(32) as HashHex;

const often = <T>(usual: T, ...rare: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    ...rare.map((each) => ({ weight: 1, arbitrary: fc.constant(each) })),
  );

/** What one step of a sequence does; numbers that follow from the state are worked out when it runs. */
interface Step {
  readonly kind:
    | 'init'
    | 'open'
    | 'publish'
    | 'dissent'
    | 'rule'
    | 'set'
    | 'rotate'
    | 'cancel'
    | 'close'
    | 'wait';
  /** Periods from the present one. */
  readonly ahead: number;
  readonly aside: number;
  readonly status: Print['status'];
  readonly issue: 'fits' | 'same' | 'beyond' | 'zero';
  readonly value: bigint;
  readonly flags: 'usual' | 'withheld' | 'both' | 'settleable';
  readonly late: bigint;
  readonly decimals: number;
  readonly log: number;
  readonly rule: 'right' | 0 | 1 | 2;
  /** Whether who should sign does; else the parties of `names`. */
  readonly signers: 'all' | 'enough' | 'few' | 'names';
  readonly names: readonly number[];
  readonly threshold: number;
  readonly bad: boolean;
  readonly seconds: bigint;
  readonly page: number;
}

const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...(
      [
        [1, 'init'],
        [2, 'open'],
        [12, 'publish'],
        [4, 'dissent'],
        [2, 'rule'],
        [2, 'set'],
        [2, 'rotate'],
        [1, 'cancel'],
        [3, 'close'],
        [4, 'wait'],
      ] as const
    ).map(([weight, kind]) => ({ weight, arbitrary: fc.constant(kind) })),
  ),
  ahead: fc.integer({ min: -3, max: 2 }),
  aside: often(0, 1, -1),
  status: fc.constantFrom('provisional', 'final', 'corrected', 'void'),
  issue: often('fits', 'same', 'beyond', 'zero'),
  value: fc.constantFrom(0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)),
  flags: often('usual', 'withheld', 'both', 'settleable'),
  late: often(0n, 121n, 120n, -DAY * 400n),
  decimals: often(0, 1),
  log: often(0, 1),
  rule: often<Step['rule']>('right', 0, 1, 2),
  signers: often('all', 'enough', 'few', 'names', 'names'),
  names: fc.array(fc.nat(NAMES.length - 1), { minLength: 1, maxLength: 6 }),
  threshold: fc.integer({ min: 0, max: 4 }),
  bad: often(false, true),
  seconds: fc.constantFrom(1n, DAY, 7n * DAY - 1n, 7n * DAY, 40n * DAY),
  page: often(0, 1),
});

interface Run {
  readonly world: World;
  readonly model: Model;
  readonly parties: readonly Party[];
  readonly cadence: PeriodKind;
  /** What the program would take now, as far as the model's feed says. */
  readonly publisher: () => Party;
}

async function begin(cadence: PeriodKind): Promise<Run> {
  const world = await worldOf({ begun: false, parameters: { cadence, first: firstOf(cadence) } });
  const parties = await Promise.all(NAMES.map(partyOf));
  const { feed, publisher } = world;
  const [, feedBump] = await feedAddress(PROGRAM, publisher.key, world.parameters.ticker);
  const pageBumps = new Map<number, number>();
  const closeBumps = new Map<number, number>();
  const facts: ModelFacts = {
    genesis: publisher.key,
    feedKey: formatHex(Uint8Array.from(getAddressEncoder().encode(feed))) as HashHex,
    feedBump,
    pageBump: (index) => pageBumps.get(index) ?? 0,
    closeBump: (day) => closeBumps.get(day) ?? 0,
    series: (log) => formatHex(seriesId(sha256, log, world.parameters.ticker)) as HashHex,
    isKey: (key) => key !== BAD_KEY,
  };
  for (const ahead of [-3, -2, -1, 0, 1, 2, 3]) {
    for (const page of [0, 1]) {
      const index = indexOf(cadence, NOW, ahead) + page;
      pageBumps.set(index, (await pageAddress(PROGRAM, feed, index))[1]);
    }
  }
  const model: Model = {
    now: NOW,
    slot: world.svm.getClock().slot,
    feed: null,
    pages: new Map(),
    closes: new Map(),
    facts,
  };
  bumps.set(model, { pageBumps, closeBumps });
  const keyAt = (): HashHex => {
    const { feed: account, now } = model;
    if (account === null) return publisher.key;
    const { rotation } = account;
    return rotation !== null && rotation.effective <= now ? rotation.coming : account.publisher;
  };
  return {
    world,
    model,
    parties,
    cadence,
    publisher: () => parties.find(({ key }) => key === keyAt()) as Party,
  };
}

/** Bump seeds take a while: they are looked up once an address, before the model needs them. */
const bumps = new WeakMap<
  Model,
  { readonly pageBumps: Map<number, number>; readonly closeBumps: Map<number, number> }
>();

function firstOf(cadence: PeriodKind): number {
  return periodOfOrdinal(cadence, 0);
}

/** The ordinal of a period that is over at `now`. */
function ordinalAt(cadence: PeriodKind, now: bigint): number {
  const days = Number(now / DAY);
  if (cadence === 'utc_day') return days - 1;
  if (cadence === 'week_ending_saturday') return Math.floor((days - 3) / 7);
  let ordinal = Math.floor(days / 30.5);
  while (periodOfOrdinal(cadence, ordinal) > days) ordinal -= 1;
  return ordinal - 1;
}

function indexOf(cadence: PeriodKind, now: bigint, ahead: number): number {
  return pagePlace(ordinalAt(cadence, now) + ahead).index;
}

function printOf(run: Run, step: Step): Print {
  const { model, world, cadence } = run;
  const { feed } = model;
  // Sequences stay within a few periods, so that they meet.
  const ordinal = ordinalAt(cadence, NOW) + step.ahead + (model.now > NOW + 30n * DAY ? 2 : 0);
  const period = periodOfOrdinal(cadence, ordinal) + step.aside;
  const { status } = step;
  const place = pagePlace(ordinal);
  const slot = model.pages.get(place.index)?.slots[place.slot];
  const last =
    status === 'provisional'
      ? (slot?.provisional?.issue ?? -1)
      : status === 'corrected'
        ? (slot?.corrected?.issue ?? 0)
        : -1;
  const issue = {
    fits: last + 1,
    same: Math.max(last, 0),
    beyond: last + 2,
    zero: 0,
  }[step.issue];
  const withheld = step.flags === 'withheld' || step.flags === 'both';
  const right = feed === null ? undefined : feed.rules[ruleNumberOf(feed, period) ?? 0]?.hash;
  const log = LOGS[step.log] as HashHex;
  return {
    series: formatHex(seriesId(sha256, log, world.parameters.ticker)) as HashHex,
    rule: step.rule === 'right' ? (right ?? hashOf('none')) : (RULES[step.rule] as HashHex),
    report: hashOf('a report'),
    value: (status === 'void' || withheld) && !step.bad ? 0n : step.value,
    publishedAt: model.now + step.late,
    period,
    status,
    decimals: step.decimals,
    settleable:
      step.flags === 'both' || step.flags === 'settleable' || (status === 'final' && !withheld),
    withheld,
    issue,
  };
}

/** A print that stands on a page already, for dissents. */
function heldPrint(run: Run, step: Step): Print {
  const print = printOf(run, step);
  const { model } = run;
  const held = [...model.pages.values()]
    .flatMap(({ slots }) => slots)
    .filter((slot) => slot !== null)
    .flatMap((slot) =>
      [slot.provisional, slot.settled, slot.corrected]
        .filter((record) => record !== null)
        .map((record) => ({ period: slot.period, record })),
    );
  const chosen = held[(step.names[0] ?? 0) % held.length];
  if (step.issue !== 'fits' || step.aside !== 0 || chosen === undefined) return print;
  const { value, publishedAt, report, status, decimals, settleable, withheld, issue } =
    chosen.record;
  const rule = model.feed?.rules[chosen.record.rule]?.hash ?? print.rule;
  const said = { value, publishedAt, report, status, decimals, settleable, withheld, issue };
  return { ...print, ...said, rule, period: chosen.period };
}

function namedBy(run: Run, step: Step): readonly Party[] {
  return step.names.map((name) => run.parties[name] as Party);
}

/** Who signs a print: the publisher with co-signers of the newest set that holds. */
function signersOf(run: Run, step: Step): readonly Party[] {
  const { model, parties } = run;
  const set = model.feed?.sets.findLast(({ effective }) => effective <= model.now);
  const members = parties.filter(({ key }) => set?.keys.includes(key) === true);
  const count = {
    all: members.length,
    enough: set?.threshold ?? 0,
    few: (set?.threshold ?? 1) - 1,
    names: 0,
  }[step.signers];
  if (step.signers === 'names') return namedBy(run, step);
  return [...members.slice(0, count), run.publisher()];
}

/** Who dissents: a co-signer of the newest set, or anybody. */
function dissenters(run: Run, step: Step): readonly Party[] {
  if (step.signers === 'names') return namedBy(run, step).slice(0, 2);
  const { model, parties } = run;
  const keys = model.feed?.sets.at(-1)?.keys ?? [];
  const [name = 0] = step.names;
  const found = parties.find(({ key }) => key === keys[name % keys.length]);
  return [found ?? run.publisher()];
}

/** Runs a step on both sides and returns the two refusals. */
async function runStep(run: Run, step: Step): Promise<readonly [string | null, string | null]> {
  const { world, model, cadence, parties } = run;
  const { payer, feed } = world;
  const actor = step.signers === 'names' ? (namedBy(run, step)[0] as Party) : run.publisher();
  switch (step.kind) {
    case 'wait':
      model.now += step.seconds;
      world.now = model.now;
      return [null, null];
    case 'init': {
      const cosigners = step.bad ? [BAD_KEY] : world.cosigners.map(({ key }) => key);
      const threshold = step.signers === 'names' ? step.threshold : step.bad ? 1 : 2;
      const parameters: FeedParameters = { ...world.parameters, threshold, cosigners };
      return [
        modelInit(model, parameters),
        (
          await world.send(
            initFeed(PROGRAM, payer.signer, world.publisher.signer, feed, parameters),
          )
        ).error,
      ];
    }
    case 'open': {
      const index = indexOf(cadence, NOW, step.ahead) + step.page;
      const [page] = await pageAddress(PROGRAM, feed, index);
      return [
        modelOpenPage(model, index),
        (await world.send(openPage(PROGRAM, payer.signer, feed, page, index))).error,
      ];
    }
    case 'publish':
    case 'dissent': {
      const isDissent = step.kind === 'dissent';
      const print = isDissent ? heldPrint(run, step) : printOf(run, step);
      const signers = isDissent ? dissenters(run, step) : signersOf(run, step);
      const index = pagePlace(
        ordinalOf(cadence, periodOfOrdinal(cadence, ordinalNear(cadence, print.period))),
      ).index;
      const chosen = index + step.page;
      const [page] = await pageAddress(PROGRAM, feed, chosen);
      const keys = signers.map(({ key }) => key);
      const [message, expected, instruction] = isDissent
        ? [
            dissentMessage(print),
            modelDissent(model, print, keys, chosen),
            dissent(PROGRAM, feed, page, 0),
          ]
        : [
            formatPrint(print),
            modelPublish(model, print, keys, chosen),
            publish(PROGRAM, feed, page, 0),
          ];
      return [expected, (await world.send(proof(message, signers), instruction)).error];
    }
    case 'rule': {
      const first = periodOfOrdinal(cadence, ordinalAt(cadence, NOW) + step.ahead) + step.aside;
      const hash = RULES[step.threshold % RULES.length] as HashHex;
      return [
        modelAddRule(model, actor.key, hash, first),
        (await world.send(addRule(PROGRAM, actor.signer, feed, hash, first))).error,
      ];
    }
    case 'set': {
      const keys = step.bad ? [BAD_KEY] : namedBy(run, step).map(({ key }) => key);
      const unique = step.page === 0 ? [...new Set(keys)] : keys;
      const threshold = step.aside === 0 ? Math.floor(unique.length / 2) + 1 : step.threshold;
      return [
        modelAddSet(model, actor.key, threshold, unique),
        (await world.send(addSet(PROGRAM, actor.signer, feed, threshold, unique))).error,
      ];
    }
    case 'rotate': {
      const at = PUBLISHERS.indexOf(run.publisher().name);
      const name = PUBLISHERS[(at + 1 + step.page) % PUBLISHERS.length] as string;
      const next = parties.find((each) => each.name === name) as Party;
      if (next === actor) return [null, null];
      const follower = PUBLISHERS[(PUBLISHERS.indexOf(name) + 1) % PUBLISHERS.length] as string;
      const after = commitmentTo(parties.find((each) => each.name === follower) as Party);
      return [
        modelRotate(model, actor.key, next.key, after),
        (await world.send(rotate(PROGRAM, actor.signer, next.signer, feed, after))).error,
      ];
    }
    case 'cancel': {
      const recovery = step.signers === 'names' ? actor : world.recovery;
      return [
        modelCancel(model, recovery.key),
        (await world.send(cancelRotation(PROGRAM, recovery.signer, feed))).error,
      ];
    }
    case 'close': {
      const day = Number(model.now / DAY) - 1 + (step.aside === 1 ? 1 : Math.min(step.ahead, 0));
      const hash = hashOf(`close ${step.threshold}`);
      const log = LOGS[step.log] as HashHex;
      const signers = step.signers === 'names' ? namedBy(run, step).slice(0, 2) : [actor];
      const [account, bump] = await closeAddress(PROGRAM, feed, day);
      bumps.get(model)?.closeBumps.set(day, bump);
      const keys = signers.map(({ key }) => key);
      return [
        modelClose(model, day, hash, keys, log),
        (
          await world.send(
            proof(closeBytes(log, day, hash), signers),
            close(PROGRAM, payer.signer, feed, account, 0),
          )
        ).error,
      ];
    }
  }
}

/** The ordinal whose period is not after a day. */
function ordinalNear(cadence: PeriodKind, day: number): number {
  let ordinal = ordinalAt(cadence, BigInt(day + 40) * DAY);
  while (periodOfOrdinal(cadence, ordinal) > day) ordinal -= 1;
  return ordinal;
}

/** Every account on both sides, byte for byte. */
async function compare({ world, model }: Run): Promise<void> {
  const expected = new Map<string, Uint8Array>();
  if (model.feed !== null) expected.set(world.feed, formatFeed(model.feed));
  for (const [index, page] of model.pages) {
    expected.set((await pageAddress(PROGRAM, world.feed, index))[0], formatPage(page));
  }
  for (const [day, account] of model.closes) {
    expected.set((await closeAddress(PROGRAM, world.feed, day))[0], formatCloseAccount(account));
  }
  const found = world.svm.getProgramAccounts(PROGRAM);
  assert.deepEqual(found.map(({ address }) => address).sort(), [...expected.keys()].sort());
  for (const { address, data } of found) {
    assert.deepEqual(Uint8Array.from(data), expected.get(address), address);
  }
}

const seen = new Map<string, number>();

for (const cadence of ['week_ending_saturday', 'utc_day', 'month'] as const) {
  test(`chain: the program does what the model does, ${cadence}`, needsSvm, async () => {
    const sequences = fc.array(steps, { minLength: STEPS / 2, maxLength: STEPS, size: 'max' });
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const run = await begin(cadence);
        const opening: Partial<Step>[] = [
          { kind: 'init', bad: false, signers: 'all' },
          { kind: 'open', ahead: 0, page: 0 },
        ];
        const [template] = sequence as [Step];
        const whole = [...opening.map((each) => ({ ...template, ...each })), ...sequence];
        for (const [i, step] of whole.entries()) {
          const [expected, found] = await runStep(run, step);
          const name = `${step.kind}: ${expected ?? 'done'}`;
          seen.set(name, (seen.get(name) ?? 0) + 1);
          assert.equal(found, expected, `step ${i}, ${step.kind}`);
        }
        await compare(run);
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });
}

test('chain: the sequences reach every instruction, and most refusals', needsSvm, () => {
  const names = [...seen.keys()].sort();
  if (process.env['ASSAY_CHAIN_RUNS'] !== undefined) console.log(seen);
  for (const kind of ['publish', 'dissent', 'rule', 'set', 'rotate', 'close']) {
    assert.ok(names.includes(`${kind}: done`), kind);
  }
  assert.ok(names.length >= 30, names.join(', '));
});
