import assert from 'node:assert/strict';
import { closeAddress, feedAddress, pageAddress } from '@assay/chain/addresses';
import {
  addRule,
  addSet,
  cancel,
  close,
  dissent,
  type FeedParameters,
  initFeed,
  openPage,
  publish,
  rotate,
  WAITING,
  type Waiting,
} from '@assay/chain/instructions';
import type { HashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { formatCloseAccount } from '@assay/core/onchain/close-account';
import { formatFeed, publisherAt, ruleNumberOf } from '@assay/core/onchain/feed-account';
import { ordinalOf, pagePlace, periodOfOrdinal } from '@assay/core/onchain/ordinal';
import { formatPage } from '@assay/core/onchain/page-account';
import { formatPrint, type Print, seriesId } from '@assay/core/print';
import type { PeriodKind } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/ticker';
import { type Address, getAddressEncoder } from '@solana/kit';
import fc from 'fast-check';
import { sha256 } from '../core/fixture.ts';
import {
  type Model,
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
import { LOGS, NAMES, PUBLISHERS, RULES, sequences, type Step, TO_THE_END } from './step.ts';
import { closeBytes, DAY, dissentMessage, NOW, PROGRAM, proof, World, worldOf } from './world.ts';

const BAD_KEY = 'ff'.repeat(32) as HashHex;
const LAST_SECOND = 2n ** 63n - 1n;

/** A feed of one sequence: what the model says of it, and where it stands. */
interface Lane {
  readonly model: Model;
  readonly genesis: Party;
  readonly parameters: FeedParameters;
  readonly feed: Address;
}

/** Two feeds of one publisher, and one of the same series that another has made. */
interface Run {
  readonly world: World;
  readonly parties: readonly Party[];
  readonly cadence: PeriodKind;
  readonly lanes: readonly Lane[];
}

/** What the model says of a step and what the program did. */
type Answers = readonly [expected: string | null, found: string | null];

/** How often each step ended how, by `kind: refusal`. */
export type Seen = Map<string, number>;

/** Runs `runs` random sequences on both sides and compares every answer and, at the end, every byte. */
export async function runSequences(cadence: PeriodKind, runs: number, seen: Seen): Promise<void> {
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      const run = await begin(cadence);
      for (const [i, step] of sequence.entries()) {
        for (const [expected, found] of await runStep(run, step)) {
          const name = `${step.kind}: ${expected ?? 'done'}`;
          seen.set(name, (seen.get(name) ?? 0) + 1);
          assert.equal(found, expected, `step ${i}, ${step.kind}`);
        }
      }
      await compare(run);
    }),
    { numRuns: runs },
  );
}

/** Addresses take a while, and every sequence asks for the same. */
const addresses = new Map<string, readonly [Address, number]>();

async function known(
  name: string,
  derive: () => Promise<readonly [Address, number]>,
): Promise<readonly [Address, number]> {
  const held = addresses.get(name) ?? (await derive());
  addresses.set(name, held);
  return held;
}

async function pageAt({ feed }: Lane, index: number): Promise<Address> {
  return (await known(`${feed} page ${index}`, () => pageAddress(PROGRAM, feed, index)))[0];
}

async function closeAt({ feed }: Lane, day: number): Promise<Address> {
  return (await known(`${feed} close ${day}`, () => closeAddress(PROGRAM, feed, day)))[0];
}

async function begin(cadence: PeriodKind): Promise<Run> {
  const world = await worldOf({ begun: false, parameters: { cadence } });
  const parties = await Promise.all(NAMES.map(partyOf));
  const owners: readonly (readonly [Party, string])[] = [
    [world.publisher, 'LAYOFFS'],
    [world.publisher, 'JOBS'],
    [await partyOf('publisher 4'), 'LAYOFFS'],
  ];
  const lanes = await Promise.all(
    owners.map(([genesis, ticker]) => laneOf(world, genesis, ticker as Ticker)),
  );
  return { world, parties, cadence, lanes };
}

async function laneOf(world: World, genesis: Party, ticker: Ticker): Promise<Lane> {
  const { cadence } = world.parameters;
  // One feed begins within the periods of the sequences.
  const first = ticker === 'JOBS' ? ordinalAt(cadence, NOW) - 2 : 0;
  const parameters = { ...world.parameters, ticker, first: periodOfOrdinal(cadence, first) };
  const [feed, feedBump] = await known(`${genesis.key} ${ticker}`, () =>
    feedAddress(PROGRAM, genesis.key, ticker),
  );
  const bumpOf = (name: string): number => addresses.get(`${feed} ${name}`)?.[1] ?? 0;
  const model: Model = {
    now: NOW,
    slot: world.svm.getClock().slot,
    feed: null,
    pages: new Map(),
    closes: new Map(),
    facts: {
      genesis: genesis.key,
      feedKey: formatHex(Uint8Array.from(getAddressEncoder().encode(feed))) as HashHex,
      feedBump,
      pageBump: (index) => bumpOf(`page ${index}`),
      closeBump: (day) => bumpOf(`close ${day}`),
      series: (log) => formatHex(seriesId(sha256, log, ticker)) as HashHex,
      isKey: (key) => key !== BAD_KEY,
    },
  };
  return { model, genesis, parameters, feed };
}

/** Whose key the feed is under now. */
function publisherOf({ parties }: Run, { model, genesis }: Lane): Party {
  const { feed, now } = model;
  const key = feed === null ? genesis.key : publisherAt(feed, now);
  return parties.find((each) => each.key === key) as Party;
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

/** Periods that later steps are about, from those of the first: what a rule of the first can take. */
const LATER = { utc_day: 9, week_ending_saturday: 2, month: 2 } as const;

/** The ordinal about which steps are at `now`: they stay within a few periods, so that they meet. */
function baseAt(cadence: PeriodKind, now: bigint): number {
  return ordinalAt(cadence, NOW) + (now > NOW + 30n * DAY ? LATER[cadence] : 0);
}

function printOf({ cadence }: Run, { model, parameters }: Lane, step: Step): Print {
  const { feed } = model;
  const ordinal = baseAt(cadence, model.now) + step.ahead;
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
  const at = model.now + step.late;
  return {
    series: formatHex(seriesId(sha256, log, parameters.ticker)) as HashHex,
    rule: step.rule === 'right' ? (right ?? hashOf('none')) : (RULES[step.rule] as HashHex),
    report: hashOf('a report'),
    value: (status === 'void' || withheld) && !step.bad ? 0n : step.value,
    publishedAt: at > LAST_SECOND ? LAST_SECOND : at,
    period,
    status,
    decimals: step.decimals,
    settleable:
      step.flags === 'both' || step.flags === 'settleable' || (status === 'final' && !withheld),
    withheld,
    issue,
  };
}

/** A print that stands on a page already, for dissents and further co-signers, and the keys of its set. */
function heldPrint(
  run: Run,
  lane: Lane,
  step: Step,
): { readonly print: Print; readonly keys: readonly HashHex[] } {
  const print = printOf(run, lane, step);
  const { model } = lane;
  const held = [...model.pages.values()]
    .flatMap(({ slots }) => slots)
    .filter((slot) => slot !== null)
    .flatMap((slot) =>
      [slot.provisional, slot.settled, slot.corrected]
        .filter((record) => record !== null)
        .map((record) => ({ period: slot.period, record })),
    );
  const chosen = held[(step.names[0] ?? 0) % held.length];
  if (step.issue !== 'fits' || step.aside !== 0 || chosen === undefined) {
    return { print, keys: model.feed?.sets.at(-1)?.keys ?? [] };
  }
  const { value, publishedAt, report, status, decimals, settleable, withheld, issue } =
    chosen.record;
  const rule = model.feed?.rules[chosen.record.rule]?.hash ?? print.rule;
  const said = { value, publishedAt, report, status, decimals, settleable, withheld, issue };
  const keys = model.feed?.sets[chosen.record.set]?.keys ?? [];
  return { print: { ...print, ...said, rule, period: chosen.period }, keys };
}

function namedBy({ parties }: Run, step: Step): readonly Party[] {
  return step.names.map((name) => parties[name] as Party);
}

/** Who signs a print: the publisher with co-signers of the newest set that holds. */
function signersOf(run: Run, lane: Lane, step: Step): readonly Party[] {
  if (step.signers === 'names') return namedBy(run, step);
  const { feed, now } = lane.model;
  const set = feed?.sets.findLast(({ effective }) => effective <= now);
  const members = run.parties.filter(({ key }) => set?.keys.includes(key) === true);
  const threshold = set?.threshold ?? 1;
  const count = { all: members.length, enough: threshold, few: threshold - 1 }[step.signers];
  return [...members.slice(0, count), publisherOf(run, lane)];
}

/** Who dissents: a co-signer of the newest set, or anybody. */
function dissenters(run: Run, lane: Lane, step: Step): readonly Party[] {
  if (step.signers === 'names') return namedBy(run, step).slice(0, 2);
  const keys = lane.model.feed?.sets.at(-1)?.keys ?? [];
  const [name = 0] = step.names;
  const found = run.parties.find(({ key }) => key === keys[name % keys.length]);
  return [found ?? publisherOf(run, lane)];
}

/** Who signs a print that stands once more: the publisher and some of the set that it was written under. */
function furtherSigners(
  run: Run,
  lane: Lane,
  step: Step,
  keys: readonly HashHex[],
): readonly Party[] {
  if (step.signers === 'names') return namedBy(run, step);
  const some = keys.filter((_, i) => ((step.threshold >> (i % 3)) & 1) === 1);
  return [publisherOf(run, lane), ...run.parties.filter(({ key }) => some.includes(key))];
}

/** Runs a step on both sides. */
async function runStep(run: Run, step: Step): Promise<readonly Answers[]> {
  const { world, lanes, cadence } = run;
  const lane = lanes[step.lane] as Lane;
  const other = lanes[(step.lane + 1) % lanes.length] as Lane;
  const at = step.cross === 'account' ? other : lane;
  const { model, feed } = lane;
  const { payer } = world;
  const isNamed = step.signers === 'names';
  const actor = isNamed ? (namedBy(run, step)[0] as Party) : publisherOf(run, lane);
  switch (step.kind) {
    case 'wait':
      wait(run, step.seconds);
      return [];
    case 'init':
      return [await bringFeed(run, lane, step)];
    case 'open': {
      const { index } = pagePlace(baseAt(cadence, model.now) + step.ahead);
      const page = await pageAt(at, index + step.page);
      const asked = openPage(PROGRAM, payer.signer, feed, page, index + step.page);
      const expected = modelOpenPage(model, index + step.page, at.model);
      return [[expected, (await world.send(asked)).error]];
    }
    case 'publish':
    case 'again':
    case 'dissent': {
      const isDissent = step.kind === 'dissent';
      const from = step.cross === 'message' ? other : lane;
      const held = heldPrint(run, from, step);
      const print = step.kind === 'publish' ? printOf(run, from, step) : held.print;
      const signers = {
        publish: () => signersOf(run, from, step),
        again: () => furtherSigners(run, from, step, held.keys),
        dissent: () => dissenters(run, from, step),
      }[step.kind]();
      const near = periodOfOrdinal(cadence, ordinalNear(cadence, print.period));
      const index = pagePlace(ordinalOf(cadence, near)).index + step.page;
      const page = await pageAt(at, index);
      const keys = signers.map(({ key }) => key);
      const message = isDissent ? dissentMessage(print) : formatPrint(print);
      const expected = (isDissent ? modelDissent : modelPublish)(
        model,
        print,
        keys,
        index,
        at.model,
      );
      const asked = (isDissent ? dissent : publish)(PROGRAM, feed, page, 0);
      return [[expected, (await world.send(proof(message, signers), asked)).error]];
    }
    case 'rule': {
      const far = step.issue === 'beyond' ? 410 : 0;
      const ordinal = ordinalAt(cadence, NOW) + LATER[cadence] + step.ahead + far;
      const first = periodOfOrdinal(cadence, ordinal) + step.aside;
      const hash = RULES[step.threshold % RULES.length] as HashHex;
      return [await bringRule(run, lane, actor, hash, first)];
    }
    case 'set': {
      const named = namedBy(run, step).map(({ key }) => key);
      const keys = step.bad
        ? [BAD_KEY]
        : step.issue === 'beyond'
          ? Array.from({ length: 9 }, (_, i) => named[i % named.length] as HashHex)
          : step.page === 0
            ? [...new Set(named)]
            : named;
      const threshold = step.aside === 0 ? Math.floor(keys.length / 2) + 1 : step.threshold;
      return [await bringSet(run, lane, actor, threshold, keys)];
    }
    case 'rotate':
      return rotation(run, lane, actor, step);
    case 'cancel': {
      const recovery = isNamed ? actor : world.recovery;
      const names = Object.keys(WAITING) as readonly Waiting[];
      const what = names.filter((name) => (step.threshold & WAITING[name]) !== 0);
      const asked = cancel(PROGRAM, recovery.signer, feed, what);
      return [[modelCancel(model, recovery.key, what), (await world.send(asked)).error]];
    }
    case 'close': {
      const days = Number(model.now / DAY) - 1 + (step.aside === 1 ? 1 : Math.min(step.ahead, 0));
      const signers = isNamed ? namedBy(run, step).slice(0, 2) : [actor];
      const day = step.aside === -1 ? -1 : Math.min(days, 2 ** 31 - 1);
      return [await bringClose(run, lane, at, day, `close ${step.threshold}`, signers, step.log)];
    }
    case 'fill':
      return fill(run, lane, actor, step);
  }
}

/** Moves the clock of every side, at most to where nothing can be added to it. */
function wait({ world, lanes }: Run, seconds: bigint): void {
  const last = seconds === TO_THE_END ? LAST_SECOND - 60n : LAST_SECOND;
  world.now = world.now + seconds > last ? last : world.now + seconds;
  for (const { model } of lanes) model.now = world.now;
}

async function bringFeed({ world }: Run, lane: Lane, step: Step): Promise<Answers> {
  const { model, genesis, feed } = lane;
  const cosigners = step.bad
    ? [BAD_KEY]
    : step.issue === 'beyond'
      ? Array.from({ length: 9 }, () => genesis.key)
      : world.cosigners.map(({ key }) => key);
  const parameters: FeedParameters = {
    ...lane.parameters,
    threshold: step.signers === 'names' ? step.threshold : step.bad ? 1 : 2,
    cosigners,
    decimals: 19 * step.decimals,
    first: lane.parameters.first + step.aside,
    ...(step.log === 1 ? { ticker: 'no ticker' as Ticker } : {}),
  };
  const asked = initFeed(PROGRAM, world.payer.signer, genesis.signer, feed, parameters);
  return [modelInit(model, parameters), (await world.send(asked)).error];
}

async function bringRule(
  { world }: Run,
  { model, feed }: Lane,
  actor: Party,
  hash: HashHex,
  first: number,
): Promise<Answers> {
  const asked = addRule(PROGRAM, actor.signer, feed, hash, first);
  return [modelAddRule(model, actor.key, hash, first), (await world.send(asked)).error];
}

async function bringSet(
  { world }: Run,
  { model, feed }: Lane,
  actor: Party,
  threshold: number,
  keys: readonly HashHex[],
): Promise<Answers> {
  const asked = addSet(PROGRAM, actor.signer, feed, threshold, keys);
  return [modelAddSet(model, actor.key, threshold, keys), (await world.send(asked)).error];
}

async function rotation(
  run: Run,
  lane: Lane,
  actor: Party,
  step: Step,
): Promise<readonly Answers[]> {
  const at = PUBLISHERS.indexOf(publisherOf(run, lane).name);
  const name = PUBLISHERS[(at + 1 + step.page) % PUBLISHERS.length] as string;
  const next = run.parties.find((each) => each.name === name) as Party;
  if (next === actor) return [];
  const follower = PUBLISHERS[(PUBLISHERS.indexOf(name) + 1) % PUBLISHERS.length] as string;
  const after = commitmentTo(run.parties.find((each) => each.name === follower) as Party);
  const expected = modelRotate(lane.model, actor.key, next.key, after);
  const asked = rotate(PROGRAM, actor.signer, next.signer, lane.feed, after);
  return [[expected, (await run.world.send(asked)).error]];
}

async function bringClose(
  { world }: Run,
  lane: Lane,
  at: Lane,
  day: number,
  what: string,
  signers: readonly Party[],
  logNumber: number,
): Promise<Answers> {
  const [hash, log] = [hashOf(what), LOGS[logNumber] as HashHex];
  const account = await closeAt(at, day);
  const keys = signers.map(({ key }) => key);
  const expected = modelClose(lane.model, day, hash, keys, log, at.model);
  const asked = close(PROGRAM, world.payer.signer, lane.feed, account, 0);
  const { error } = await world.send(proof(closeBytes(log, day, hash), signers), asked);
  return [expected, error];
}

/** Fills rules, sets or the versions of a Close, and one beyond. */
async function fill(run: Run, lane: Lane, actor: Party, step: Step): Promise<readonly Answers[]> {
  const answers: Answers[] = [];
  const day = Number(NOW / DAY) - 1;
  for (let i = 0; i < 17; i += 1) {
    const { feed } = lane.model;
    if (step.threshold % 3 === 0) {
      wait(run, 7n * DAY);
      const last = feed?.rules.at(-1)?.first ?? lane.parameters.first;
      const soonest = Math.min(Number(lane.model.now / DAY) + 7, 100_000);
      const ordinals = [ordinalOf(run.cadence, last), ordinalNear(run.cadence, soonest)];
      const first = periodOfOrdinal(run.cadence, Math.max(...ordinals) + 1);
      answers.push(await bringRule(run, lane, actor, hashOf(`rule ${i % 5}`), first));
    } else if (step.threshold % 3 === 1) {
      wait(run, 7n * DAY);
      answers.push(await bringSet(run, lane, actor, 1, [(run.parties[5 + (i % 5)] as Party).key]));
    } else {
      answers.push(await bringClose(run, lane, lane, day, `version ${i}`, [actor], 0));
    }
  }
  return answers;
}

/** The ordinal whose period is not after a day. */
function ordinalNear(cadence: PeriodKind, day: number): number {
  let ordinal = ordinalAt(cadence, BigInt(day + 40) * DAY);
  while (periodOfOrdinal(cadence, ordinal) > day) ordinal -= 1;
  return ordinal;
}

/** Every account on both sides, byte for byte. */
async function compare({ world, lanes }: Run): Promise<void> {
  const expected = new Map<string, Uint8Array>();
  for (const lane of lanes) {
    const { model, feed } = lane;
    if (model.feed !== null) expected.set(feed, formatFeed(model.feed));
    for (const [index, page] of model.pages) {
      expected.set(await pageAt(lane, index), formatPage(page));
    }
    for (const [day, account] of model.closes) {
      expected.set(await closeAt(lane, day), formatCloseAccount(account));
    }
  }
  const found = world.svm.getProgramAccounts(PROGRAM);
  assert.deepEqual(found.map(({ address }) => address).sort(), [...expected.keys()].sort());
  for (const { address, data } of found) {
    assert.deepEqual(Uint8Array.from(data), expected.get(address), address);
  }
}
