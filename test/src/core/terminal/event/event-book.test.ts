import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Due, EventBook, type PublicLeaf } from '@assay/core/terminal/event/event-book';
import { eventId } from '@assay/core/kind/event-id';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { HORIZON_SECONDS, HORIZONS } from '@assay/core/kind/horizon';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { sha256, vectors } from '../../fixture/fixture.ts';
import { resumed } from '../../fixture/resumed.ts';
import { Random } from '../random.ts';
import { scoreRule, shortRule } from '../score-rule-fixture.ts';

const TICK = 900;
const DAY = 86_400;
/** 2026-01-01T00:00:00Z. */
const START = 1_767_225_600;
const RULE = shortRule({
  receipts: { void_after_s: 2 * DAY, benchmark: 'BTC', benchmark_tolerance_s: 2 * TICK },
});

interface Step {
  readonly ts: number;
  readonly leaves: ReadonlyMap<string, PublicLeaf>;
  readonly list?: readonly string[];
  readonly delist?: readonly string[];
}

function book(...symbols: readonly string[]): EventBook {
  const made = new EventBook({ rule: RULE, grid: utcGrid, sha256 });
  for (const symbol of symbols) made.list(symbol, START - TICK);
  return made;
}

function run(target: EventBook, steps: readonly Step[]): readonly (readonly Due[])[] {
  return steps.map((step) => {
    listing(target, step);
    return target.step(step.ts, step.leaves);
  });
}

/** What is listed and delisted before a step. */
function listing(target: EventBook, { ts, list = [], delist = [] }: Step): void {
  for (const symbol of list) target.list(symbol, ts - TICK);
  for (const symbol of delist) target.delist(symbol, ts - TICK);
}

function scored(score: number | null): PublicLeaf {
  return { score, good: true };
}

const BAD: PublicLeaf = { score: null, good: false };

/** Ticks from the start to `until` seconds after it, each what `leavesAt` says; none where that is undefined. */
function* ticks(
  until: number,
  leavesAt: (after: number) => Readonly<Record<string, PublicLeaf>> | undefined,
): Generator<Step> {
  for (let after = 0; after <= until; after += TICK) {
    const leaves = leavesAt(after);
    if (leaves !== undefined) yield { ts: START + after, leaves: new Map(Object.entries(leaves)) };
  }
}

/** Opens at the start and is quiet then; the benchmark is always good. */
function quiet(after: number): Readonly<Record<string, PublicLeaf>> {
  return { BTC: scored(1), SOL: scored(after === 0 ? 80 : 1) };
}

function brief(due: Due): string {
  if (due.kind === 'open') return `open ${due.symbol} at ${due.opened_at - START}: ${due.score}`;
  if (due.kind === 'close') {
    return `close ${due.symbol} at ${due.closed_at - START}: ${due.reason} ${due.peak_score}`;
  }
  if (due.kind === 'receipt') {
    const at = due.resolved_at === null ? due.reason : due.resolved_at - START;
    return `receipt ${due.symbol} ${due.horizon} of ${due.opened_at - START}: ${at}`;
  }
  const { symbol, horizon, benchmark, from, to, reason } = due;
  const over = reason ?? `${from - START} to ${to - START}`;
  return `benchmark ${symbol} ${horizon} ${benchmark}: ${over}`;
}

function said(target: EventBook, steps: readonly Step[]): readonly string[] {
  return run(target, steps).flatMap((dues, i) =>
    dues.map((due) => `${(steps[i] as Step).ts - START}: ${brief(due)}`),
  );
}

interface BookVector {
  readonly name: string;
  /** Members that the crypto rule of `vectors/score/rules.json` has replaced. */
  readonly event: ScoreRule['event'];
  readonly receipts: ScoreRule['receipts'];
  readonly steps: readonly {
    /** Unix seconds. */
    readonly ts: number;
    /** Before this tick, after the one before. */
    readonly list?: readonly string[];
    readonly delist?: readonly string[];
    /** Score and good, by symbol. */
    readonly leaves: Readonly<Record<string, readonly [number | null, boolean]>>;
  }[];
  readonly dues: readonly (readonly Due[])[];
}

test('event book: the vectors, in their order', () => {
  for (const { name, event, receipts, steps, dues } of vectors<readonly BookVector[]>(
    'event/books',
  )) {
    const rule = { ...scoreRule('crypto'), event, receipts };
    const target = new EventBook({ rule, grid: utcGrid, sha256 });
    const found = steps.map(({ ts, list = [], delist = [], leaves }) => {
      for (const symbol of list) target.list(symbol, ts - 1);
      for (const symbol of delist) target.delist(symbol, ts - 1);
      const told = Object.entries(leaves).map(
        ([symbol, [score, good]]) => [symbol, { score, good }] as const,
      );
      return target.step(ts, new Map(told));
    });
    assert.deepEqual(found, dues, name);
  }
});

test('event book: an event, its close, three receipts, three benchmarks', () => {
  const target = book('BTC', 'SOL');
  assert.deepEqual(said(target, [...ticks(31 * DAY, quiet)]), [
    '0: open SOL at 0: 80',
    '3600: close SOL at 3600: below 80',
    '86400: receipt SOL 24h of 0: 86400',
    '86400: benchmark SOL 24h BTC: 0 to 86400',
    '604800: receipt SOL 7d of 0: 604800',
    '604800: benchmark SOL 7d BTC: 0 to 604800',
    '2592000: receipt SOL 30d of 0: 2592000',
    '2592000: benchmark SOL 30d BTC: 0 to 2592000',
  ]);
  assert.equal(target.remembered, 0);
});

test('event book: ids are those of asset and opening, in every due', () => {
  const id = eventId(sha256, 'SOL', START);
  for (const due of run(book('BTC', 'SOL'), [...ticks(2 * DAY, quiet)]).flat()) {
    assert.equal(due.id, id);
  }
});

test('event book: the first good tick at or after the horizon resolves', () => {
  const steps = [
    ...ticks(2 * DAY, (after) => {
      if (after >= DAY && after < DAY + 3 * TICK) return { BTC: scored(1), SOL: BAD };
      if (after === DAY + 3 * TICK) return { BTC: scored(1) };
      return quiet(after);
    }),
  ];
  const [, , receipt, benchmark] = said(book('BTC', 'SOL'), steps);
  assert.equal(receipt, `90000: receipt SOL 24h of 0: ${DAY + 4 * TICK}`);
  assert.equal(benchmark, `90000: benchmark SOL 24h BTC: 0 to ${DAY + 4 * TICK}`);
});

test('event book: no good tick in time is a void, at the first tick of the class after it', () => {
  const silence = (from: number, to: number) => (after: number) =>
    after >= from && after < to ? { BTC: scored(1) } : quiet(after);
  const last = said(book('BTC', 'SOL'), [...ticks(4 * DAY, silence(DAY, 3 * DAY))]);
  assert.equal(last.at(-2), `259200: receipt SOL 24h of 0: ${3 * DAY}`, 'the last moment counts');
  assert.equal(last.at(-1), `259200: benchmark SOL 24h BTC: 0 to ${3 * DAY}`);
  const late = said(book('BTC', 'SOL'), [...ticks(4 * DAY, silence(DAY, 3 * DAY + TICK))]);
  assert.equal(late.at(-1), '260100: receipt SOL 24h of 0: no_data', 'though that tick is good');
});

test('event book: nothing is due while there are no ticks at all, and all that is late comes at once', () => {
  const steps = [
    ...ticks(12 * DAY, (after) => (after > 5 * TICK && after < 8 * DAY ? undefined : quiet(after))),
  ];
  assert.deepEqual(said(book('BTC', 'SOL'), steps), [
    '0: open SOL at 0: 80',
    '3600: close SOL at 3600: below 80',
    '691200: receipt SOL 24h of 0: no_data',
    '691200: receipt SOL 7d of 0: 691200',
    '691200: benchmark SOL 7d BTC: 0 to 691200',
  ]);
});

test('event book: a benchmark may come later than the receipt, up to its tolerance', () => {
  const gone = (ticksLate: number) => (after: number) => {
    const leaves = quiet(after);
    return after >= DAY && after < DAY + ticksLate * TICK ? { ...leaves, BTC: BAD } : leaves;
  };
  const two = said(book('BTC', 'SOL'), [...ticks(2 * DAY, gone(2))]);
  assert.deepEqual(two.slice(2), [
    '86400: receipt SOL 24h of 0: 86400',
    '88200: benchmark SOL 24h BTC: 0 to 88200',
  ]);
  const three = said(book('BTC', 'SOL'), [...ticks(2 * DAY, gone(3))]);
  assert.deepEqual(three.slice(2), [
    '86400: receipt SOL 24h of 0: 86400',
    '89100: benchmark SOL 24h BTC: no_data',
  ]);
});

test('event book: where its return begins is a tick of the benchmark in time, else there is none', () => {
  const gone = (ticksLate: number) => (after: number) => {
    const leaves = quiet(after);
    return after < ticksLate * TICK ? { ...leaves, BTC: BAD } : leaves;
  };
  const two = said(book('BTC', 'SOL'), [...ticks(2 * DAY, gone(2))]);
  assert.equal(two.at(-1), '86400: benchmark SOL 24h BTC: 1800 to 86400');
  const three = said(book('BTC', 'SOL'), [...ticks(2 * DAY, gone(3))]);
  assert.equal(three.at(-1), '86400: benchmark SOL 24h BTC: no_data');
});

test("event book: the benchmark's own event is held against nothing", () => {
  const own = [...ticks(2 * DAY, (after) => ({ BTC: scored(after === 0 ? 75 : 1) }))];
  assert.deepEqual(said(book('BTC'), own).slice(2), [
    '86400: receipt BTC 24h of 0: 86400',
    '86400: benchmark BTC 24h BTC: own',
  ]);
});

test('event book: a delisted asset voids its receipts at the next tick; its event goes on to its close', () => {
  const target = book('BTC', 'SOL');
  const steps: Step[] = [...ticks(2 * DAY, quiet)].map((step) =>
    step.ts === START + 2 * TICK ? { ...step, delist: ['SOL'] } : step,
  );
  assert.deepEqual(said(target, steps), [
    '0: open SOL at 0: 80',
    '1800: receipt SOL 24h of 0: delisted',
    '1800: receipt SOL 7d of 0: delisted',
    '1800: receipt SOL 30d of 0: delisted',
    '6300: close SOL at 6300: silent 80',
  ]);
  assert.equal(target.remembered, 0);
  assert.throws(() => target.delist('SOL', START + 2 * DAY), { code: 'not_found' });
  assert.throws(() => target.delist('DOGE', START + 2 * DAY), { code: 'not_found' });
});

test('event book: what is resolved before a delisting keeps its benchmark', () => {
  const late = [
    ...ticks(2 * DAY, (after) => ({ ...quiet(after), BTC: after === DAY ? BAD : scored(1) })),
  ];
  const steps = late.map((step) =>
    step.ts === START + DAY + TICK ? { ...step, delist: ['SOL'] } : step,
  );
  assert.deepEqual(said(book('BTC', 'SOL'), steps).slice(2), [
    '86400: receipt SOL 24h of 0: 86400',
    '87300: receipt SOL 7d of 0: delisted',
    '87300: receipt SOL 30d of 0: delisted',
    '87300: benchmark SOL 24h BTC: 0 to 87300',
  ]);
});

test('event book: an asset listed late begins then; one that comes back is not armed by that', () => {
  const hot = (after: number): Readonly<Record<string, PublicLeaf>> => ({
    BTC: scored(1),
    SOL: scored(80 + (after === 0 ? 1 : 0)),
  });
  const steps = [...ticks(2 * DAY, hot)].map((step) => {
    if (step.ts === START + 3 * TICK) return { ...step, list: ['SOL'] };
    if (step.ts === START + 20 * TICK) return { ...step, delist: ['SOL'] };
    if (step.ts === START + 60 * TICK) return { ...step, list: ['SOL'] };
    return step;
  });
  assert.deepEqual(
    said(book('BTC'), steps).filter((each) => !each.includes('receipt')),
    ['2700: open SOL at 2700: 80', '22500: close SOL at 22500: silent 80'],
  );
});

test('event book: leaves of assets that are not listed decide nothing, the benchmark included', () => {
  const target = book('SOL');
  const all = said(target, [...ticks(2 * DAY, (after) => ({ ...quiet(after), DOGE: scored(99) }))]);
  assert.equal(all.at(-1), '86400: benchmark SOL 24h BTC: no_data');
  assert.ok(all.every((each) => !each.includes('DOGE')));
});

test('event book: one tick gives closes, receipts, benchmarks, opens; by asset, then horizon, then age', () => {
  const late = 8 * DAY;
  const assets = ['ADA', 'BTC', 'SOL', 'XRP'];
  const opens = (after: number): Readonly<Record<string, PublicLeaf>> | undefined => {
    if (after > 15 * TICK && after < late) return undefined;
    const hot = after === 0 || after === 10 * TICK || after === late ? 80 : 1;
    return {
      ADA: scored(hot),
      BTC: scored(1),
      SOL: scored(after === 11 * TICK ? 90 : hot),
      XRP: scored(after === 15 * TICK || after === late ? 80 : 1),
    };
  };
  const steps = [...ticks(late, opens)];
  const dues = run(book(...assets), steps).at(-1) as readonly Due[];
  assert.deepEqual(dues.map(brief), [
    'close XRP at 691200: age 80',
    'receipt ADA 24h of 0: no_data',
    'receipt ADA 24h of 9000: no_data',
    'receipt ADA 7d of 0: 691200',
    'receipt ADA 7d of 9000: 691200',
    'receipt SOL 24h of 0: no_data',
    'receipt SOL 24h of 9000: no_data',
    'receipt SOL 7d of 0: 691200',
    'receipt SOL 7d of 9000: 691200',
    'receipt XRP 24h of 13500: no_data',
    'receipt XRP 7d of 13500: 691200',
    'benchmark ADA 7d BTC: 0 to 691200',
    'benchmark ADA 7d BTC: 9000 to 691200',
    'benchmark SOL 7d BTC: 0 to 691200',
    'benchmark SOL 7d BTC: 9000 to 691200',
    'benchmark XRP 7d BTC: 13500 to 691200',
    'open ADA at 691200: 80',
    'open SOL at 691200: 80',
  ]);
});

test('event book: a time off the grid, or not after the last, is refused; so is a listing in the past', () => {
  const target = book('BTC');
  target.step(START, new Map());
  for (const ts of [START, START - TICK, START + 1, Number.NaN]) {
    assert.throws(() => target.step(ts, new Map()), { code: 'out_of_range' }, String(ts));
  }
  assert.throws(() => target.list('SOL', START - 1), { code: 'out_of_range' });
  assert.throws(() => target.delist('BTC', START - 1), { code: 'out_of_range' });
});

/** Forty days of four assets: storms and quiet, bad and missing leaves, lost ticks, listings that come and go. */
function storms(seed: number): readonly Step[] {
  const random = new Random(seed);
  const listed = new Set<string>();
  let lost = 0;
  return [
    ...ticks(40 * DAY, () => {
      if (lost > 0) lost -= 1;
      else if (random.oneIn(200)) lost = random.below(random.oneIn(4) ? 800 : 8);
      return lost > 0 ? undefined : {};
    }),
  ].map(({ ts }) => {
    const leaves = new Map<string, PublicLeaf>();
    const list: string[] = [];
    const delist: string[] = [];
    for (const symbol of ['ADA', 'BTC', 'SOL', 'XRP']) {
      if (!listed.has(symbol)) {
        if (random.oneIn(40)) list.push(symbol);
      } else if (random.oneIn(1500)) delist.push(symbol);
      if (list.includes(symbol)) listed.add(symbol);
      if (delist.includes(symbol)) listed.delete(symbol);
      if (!listed.has(symbol) || random.oneIn(30)) continue;
      const score = random.oneIn(10) ? null : random.below(random.oneIn(9) ? 101 : 60);
      leaves.set(symbol, random.oneIn(12) ? BAD : scored(score));
    }
    return { ts, leaves, list, delist };
  });
}

function properties(
  rule: ScoreRule,
  steps: readonly Step[],
  dues: readonly (readonly Due[])[],
): void {
  const open = new Map<string, string>();
  const ids = new Set<string>();
  const receipts = new Map<string, string>();
  const benchmarks = new Set<string>();
  const openedAt = new Map<string, number>();
  const kinds = ['close', 'receipt', 'benchmark', 'open'];
  dues.forEach((each, i) => {
    const { ts } = steps[i] as Step;
    const order = each.map(({ kind, symbol, ...due }) => {
      const horizon = 'horizon' in due ? HORIZONS.indexOf(due.horizon) : 0;
      return `${kinds.indexOf(kind)} ${symbol} ${horizon}`;
    });
    assert.deepEqual(order, [...order].sort(), 'the order');
    for (const due of each) {
      if (due.kind === 'open') {
        assert.equal(open.has(due.symbol), false, 'one open event of an asset');
        assert.equal(ids.has(due.id), false, 'ids are unique');
        open.set(due.symbol, due.id);
        ids.add(due.id);
        openedAt.set(due.id, due.opened_at);
        assert.equal(due.opened_at, ts);
        assert.ok(due.score >= rule.event.open);
      } else if (due.kind === 'close') {
        assert.equal(open.get(due.symbol), due.id, 'what closes was open');
        open.delete(due.symbol);
        assert.equal(due.closed_at, ts);
      } else {
        const key = `${due.id} ${due.horizon}`;
        const begun = openedAt.get(due.id) as number;
        if (due.kind === 'receipt') {
          assert.equal(receipts.has(key), false, 'a receipt once');
          receipts.set(key, due.status);
          const wanted = begun + HORIZON_SECONDS[due.horizon];
          if (due.resolved_at !== null) {
            assert.equal(due.resolved_at, ts);
            assert.ok(ts >= wanted && ts <= wanted + rule.receipts.void_after_s);
          } else if (due.reason === 'no_data') assert.ok(ts > wanted + rule.receipts.void_after_s);
        } else {
          assert.equal(benchmarks.has(key), false, 'a benchmark once');
          assert.equal(receipts.get(key), 'resolved', 'after its receipt');
          benchmarks.add(key);
          if (due.from !== null) {
            assert.ok(due.from >= begun && due.from <= begun + rule.receipts.benchmark_tolerance_s);
          }
        }
      }
    }
  });
  assert.ok(ids.size > 5, 'events');
  assert.equal(receipts.size, 3 * ids.size, 'three receipts of each event');
  const resolved = [...receipts].filter(([, status]) => status === 'resolved');
  assert.deepEqual([...benchmarks].sort(), resolved.map(([key]) => key).sort());
}

/** Ticks after all is over, so that whatever was open is said. */
function ending(): readonly Step[] {
  const after = START + 40 * DAY;
  return Array.from({ length: 40 }, (_, i) => ({
    ts: after + (i + 1) * DAY,
    leaves: new Map([['BTC', scored(1)]]),
  }));
}

test('event book: whatever comes, one open event an asset, three receipts an event, one benchmark a receipt', () => {
  const reasons = new Set<string>();
  for (let seed = 1; seed <= 25; seed += 1) {
    const steps = [...storms(seed), ...ending()];
    const target = book();
    const dues = run(target, steps);
    properties(RULE, steps, dues);
    assert.equal(target.remembered, 0, 'nothing is kept of what is over');
    for (const due of dues.flat()) reasons.add('reason' in due ? `${due.kind} ${due.reason}` : '');
  }
  const met = ['below', 'age', 'silent'].map((each) => `close ${each}`);
  for (const each of ['null', 'no_data', 'delisted']) met.push(`receipt ${each}`);
  for (const each of ['null', 'no_data', 'own']) met.push(`benchmark ${each}`);
  for (const each of met) assert.ok(reasons.has(each), each);
});

test('event book: what it keeps is bounded by the receipts that can be open', () => {
  const target = book('SOL');
  const { rearm } = RULE.event;
  const span = HORIZON_SECONDS['30d'] + RULE.receipts.void_after_s;
  const most = 1 + span / (rearm * TICK);
  let peak = 0;
  for (const step of ticks(100 * DAY, (after) => ({
    SOL: scored((after / TICK) % rearm === 0 ? 80 : 1),
  }))) {
    target.step(step.ts, step.leaves);
    peak = Math.max(peak, target.remembered);
  }
  assert.ok(peak > 100 && peak <= most, String(peak));
});

test('event book: what a tick makes due depends on no tick after it', () => {
  const steps = storms(77);
  const whole = run(book(), steps);
  for (const cut of [1, 500, 1500, steps.length - 1]) {
    assert.deepEqual(run(book(), steps.slice(0, cut)), whole.slice(0, cut), `cut at ${cut}`);
  }
  const target = book();
  const parts = [steps.slice(0, 700), steps.slice(700, 701), steps.slice(701)];
  assert.deepEqual(
    parts.flatMap((part) => run(target, part)),
    whole,
  );
});

/** Counts how many leaves are asked for. */
class AskedLeaves extends Map<string, PublicLeaf> {
  asked = 0;

  override get(symbol: string): PublicLeaf | undefined {
    this.asked += 1;
    return super.get(symbol);
  }
}

test('event book: a tick reads its own leaves and open events, and not all that is listed', () => {
  const target = book('BTC', 'SOL');
  target.step(START, new Map([['SOL', scored(80)]]));
  for (let i = 0; i < 2000; i += 1) target.list(`IDLE${i}`, START);
  const leaves = new AskedLeaves([
    ['BTC', scored(1)],
    ['SOL', scored(1)],
  ]);
  target.step(START + TICK, leaves);
  assert.ok(leaves.asked <= 3, `${leaves.asked} asked for`);
  // An asset that had no leaf for long opens like any other.
  const late = target.step(START + 5 * TICK, new Map([['IDLE7', scored(75)]]));
  assert.deepEqual(late.map(brief), ['open IDLE7 at 4500: 75']);
});

test('event book: under a later rule open events go on, and their receipts as they were', () => {
  const later = shortRule({ ...RULE, version: 2, event: { ...RULE.event, open: 90, max: 3 } });
  const target = book('BTC', 'SOL');
  const hot = (after: number): Readonly<Record<string, PublicLeaf>> => ({
    BTC: scored(after === 8 * TICK ? 80 : 1),
    SOL: scored(after < DAY / 2 ? 80 : 1),
  });
  const steps = [...ticks(2 * DAY, hot)];
  const found = said(target, steps.slice(0, 2));
  target.under(later);
  target.under(later);
  assert.deepEqual(
    [...found, ...said(target, steps.slice(2))],
    [
      '0: open SOL at 0: 80',
      '2700: close SOL at 2700: age 80',
      '86400: receipt SOL 24h of 0: 86400',
      '86400: benchmark SOL 24h BTC: 0 to 86400',
    ],
  );
  for (const change of [
    { receipts: { ...RULE.receipts, void_after_s: 1 } },
    { receipts: { ...RULE.receipts, benchmark: 'SOL' } },
    { receipts: { ...RULE.receipts, benchmark_tolerance_s: 1 } },
    { class: 'stock', grid: 'xnys_15m' } as const,
  ]) {
    assert.throws(() => target.under({ ...later, ...change }), { code: 'malformed' });
  }
});

test('event book: interrupted at any tick, it says what one says that never was', () => {
  const later = shortRule({ ...RULE, version: 2, event: { ...RULE.event, open: 80, max: 9 } });
  const kinds = new Set<string>();
  const DAY_TICKS = DAY / TICK;
  for (let seed = 1; seed <= 3; seed += 1) {
    const whole = book();
    let cut = book();
    const steps = [...storms(seed), ...ending()];
    for (const [i, step] of steps.entries()) {
      // In the middle of events, receipts and benchmarks.
      if (i === 1500) for (const each of [whole, cut]) each.under(later);
      for (const each of [whole, cut]) listing(each, step);
      const isCut = i % DAY_TICKS < 30 || i % 7 === 0 || step.delist?.length !== 0;
      if (isCut) cut = resumed(cut, book());
      // A leaf of each asset, so that those that are not listed show.
      const leaves = new Map([['ADA', scored(90)], ...step.leaves]);
      const expected = whole.step(step.ts, leaves);
      assert.deepEqual(cut.step(step.ts, leaves), expected, `seed ${seed}, step ${i}`);
      assert.equal(cut.remembered, whole.remembered);
      for (const { kind } of expected) kinds.add(kind);
    }
    cut = resumed(cut, book());
    for (const each of [cut, whole]) {
      assert.throws(() => each.step(START, new Map()), { code: 'out_of_range' });
    }
  }
  assert.equal(kinds.size, 4);
});
