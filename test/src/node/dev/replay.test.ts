import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { historyCsv } from '@assay/core/answer/history-csv';
import { releaseTime } from '@assay/core/rule/release';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { periodRow, periodRows } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import { DevelopmentClock } from '@assay/node/dev/development-clock';
import {
  DEVELOPMENT_INDICES,
  type DevelopmentIndex,
  developmentNetwork,
} from '@assay/node/dev/development-indices';
import { gapsOf } from '@assay/verifier/check/gaps';
import { type DemoReplay, replaySample, replayStart, replaySteps } from '@assay/node/dev/replay';
import { SiteSource } from '@assay/node/dev/site/site-source';
import type { Ledger } from '@assay/node/ledger/ledger';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { MemoryOpenings } from '@assay/node/data/openings';
import { Scheduler } from '@assay/node/round/scheduler';
import {
  contents,
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  type Place,
  REPORT_SIGNER,
} from '../ledger/ledger-fixture.ts';
import { verdictOn } from '../fixture/round-fixture.ts';

interface Run {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly blobs: MemoryBlobStore;
  readonly clock: DevelopmentClock;
  readonly failed: string[];
  readonly replay: () => Promise<void>;
}

const ticker = (name: string): Ticker => name.toUpperCase() as Ticker;

/** A demo's parts over a place that may have a past. */
async function start(
  names: readonly string[],
  place: Place,
  blobs: MemoryBlobStore,
  openings = new MemoryOpenings(),
  more: Partial<Pick<DemoReplay, 'dayEnd' | 'market' | 'onStep' | 'indices'>> = {},
): Promise<Run> {
  const { sites, indices: own } = await developmentNetwork(nodeSha256, names);
  const { indices = own } = more;
  const clock = new DevelopmentClock(replayStart(indices), 1, () => 0);
  const ledger = await openAt(place, { now: clock.now });
  if (ledger.nextSeq === 0) await ledger.write(() => [GENESIS_DRAFT]);
  const failed: string[] = [];
  const scheduler = new Scheduler(
    {
      ledger,
      signer: REPORT_SIGNER,
      source: new SiteSource(sites, clock.now),
      blobs,
      sha256: nodeSha256,
      now: clock.now,
      openings,
      random: randomBytes,
    },
    0,
    {
      onRound: () => undefined,
      onRoundFailed: (_, period, error) => failed.push(`${period} ${(error as Error).message}`),
    },
  );
  const anchoring = { poll: () => Promise.resolve() };
  const parts = { clock, anchoring, sha256: nodeSha256, notice: 'A test.', ...more, indices };
  return {
    place,
    ledger,
    blobs,
    clock,
    failed,
    replay: () => replaySample(ledger, scheduler, parts),
  };
}

/** Indexes from before the first release that was typed in, with every first print that is known. */
async function longAgo(
  names: readonly string[],
  prints: readonly string[],
): Promise<readonly DevelopmentIndex[]> {
  const { indices } = await developmentNetwork(nodeSha256, names);
  const recorded = parseDate('2025-04-20') * DAY_SECONDS;
  return indices.map((index) => ({ ...index, recorded, prints: [prints.map(parseDate), []] }));
}

const VINTAGES = ['2025-04-26', '2025-09-20', '2025-12-27', '2026-07-04', '2026-07-25'];
const MONTHS = ['2025-10-01', '2025-11-01', '2026-06-01'];

test('replay steps: within every window, few of them, and of an index the newest period first', async () => {
  const { indices } = await developmentNetwork(nodeSha256);
  const steps = replaySteps(indices);
  const rules = indices.flatMap(({ rules: own, prints }) =>
    own.flatMap((rule, i) => (prints[i] ?? []).map((period) => ({ rule, period }))),
  );
  for (const { rule, period } of rules) {
    const release = releaseTime(rule.release, rule.period, period);
    const at = steps
      .filter(({ rounds }) => rounds.some((r) => r.ticker === rule.ticker && r.period === period))
      .map((step) => step.at - release);
    const { first_print_within_s: within } = rule.release;
    const { freeze_after_s: frozen } = rule.revision;
    assert.ok(at.every((after) => after >= 0 && after <= within));
    assert.equal(at.length, frozen === 0 ? 1 : 2, `${rule.ticker} ${formatDate(period)}`);
    if (frozen > 0) assert.ok((at[0] as number) < frozen && (at[1] as number) >= frozen);
  }
  assert.ok(steps.length < 120, `${steps.length}`);
  for (const [i, { at }] of steps.entries()) assert.ok(i === 0 || at > (steps[i - 1]?.at ?? 0));
  const days = steps.map(({ at }) => Math.floor(at / DAY_SECONDS));
  assert.equal(new Set(days).size, (days.at(-1) ?? 0) - (days[0] ?? 0) + 1, 'no day is left out');
});

test('replay: claims as a node would have lived through them, from the releases themselves', async () => {
  const indices = await longAgo(['LAYOFFS'], VINTAGES);
  const more = { indices };
  const run = await start(['LAYOFFS'], await memoryPlace(), new MemoryBlobStore(), undefined, more);
  await run.replay();
  assert.deepEqual(run.failed, []);
  const rows = periodRows(run.ledger.shown, ticker('LAYOFFS'));
  assert.equal(rows.length, 82);
  assert.deepEqual(
    rows
      .filter(([, { basis }]) => basis === 'print')
      .map(([period, row]) => [period, row.status, row.settlement_value, row.revised]),
    [
      ['2025-04-26', 'final', '241000', '239000'],
      ['2025-09-20', 'final', '218000', '219000'],
      ['2025-12-27', 'final', '199000', '203000'],
      ['2026-07-04', 'final', '215000', '217000'],
      ['2026-07-25', 'final', '197000', null],
    ],
  );
  for (const [, { basis, settlement_value: settled }] of rows) {
    if (basis === 'history') assert.equal(settled, null);
  }
  const csv = historyCsv(run.ledger.shown, ticker('LAYOFFS'));
  assert.match(csv, /^LAYOFFS,2025-12-27,199000,199000,203000,2026-07-09,/m);
  const [first] = reportsOf(run.ledger.shown, ticker('LAYOFFS'), rows.at(-1)?.[0] as never);
  assert.deepEqual(
    first?.report.reads.map(({ provider, outcome }) => `${provider} ${outcome}`),
    ['eta-press-pdf ok', 'archive-capture ok', 'eta-539-xml ok'],
  );
  assert.equal((await verdictOn(run as never)).outcome, 'verified');
});

/** What an index has for a month. */
function monthOf({ ledger }: Run, name: string, month: string): unknown {
  const found = periodRow(ledger.shown, ticker(name), `${month}-01` as never);
  const settled = found?.settlement_value;
  return [found?.basis, found?.status, found?.value, settled, found?.revised];
}

test('replay: typed-in months, with the month that was never published', async () => {
  const names = ['unemp', 'cpi', 'corecpi'];
  const indices = await longAgo(names, MONTHS);
  const run = await start(names, await memoryPlace(), new MemoryBlobStore(), undefined, {
    indices,
  });
  await run.replay();
  assert.deepEqual(run.failed, []);
  const none = ['print', 'void', null, null, null];
  // The bureau's first prints: 4.6 and 4.2 percent, -0.4 and 0.0 percent.
  assert.deepEqual(monthOf(run, 'unemp', '2025-10'), none);
  assert.deepEqual(monthOf(run, 'unemp', '2025-11'), ['print', 'final', '46', '46', '45']);
  assert.deepEqual(monthOf(run, 'unemp', '2026-06'), ['print', 'final', '42', '42', null]);
  for (const name of ['cpi', 'corecpi']) {
    assert.deepEqual(monthOf(run, name, '2025-10'), none);
    assert.deepEqual(monthOf(run, name, '2025-11'), none, 'its base is missing');
  }
  assert.deepEqual(monthOf(run, 'cpi', '2026-06'), ['print', 'final', '-4', '-4', null]);
  assert.deepEqual(monthOf(run, 'corecpi', '2026-06'), ['print', 'final', '0', '0', null]);
  assert.deepEqual(monthOf(run, 'cpi', '2026-03'), ['history', null, '9', null, null]);
  assert.match(historyCsv(run.ledger.shown, ticker('cpi')), /,loaded as history$/m);
  assert.equal((await verdictOn(run as never)).outcome, 'verified');
});

test('replay: all eleven; z for the daily ones, no level of those that are withheld', async () => {
  const run = await start(DEVELOPMENT_INDICES, await memoryPlace(), new MemoryBlobStore());
  await run.replay();
  assert.deepEqual(run.failed, []);
  const state = run.ledger.shown;
  assert.equal(tickers(state).length, 11);
  for (const [name, month] of [
    ['jobs', '2026-04'],
    ['jobs', '2026-06'],
    ['unemp', '2026-06'],
    ['cpi', '2026-06'],
    ['corecpi', '2026-06'],
  ] as const) {
    const [basis, status] = monthOf(run, name, month) as readonly unknown[];
    assert.deepEqual([basis, status], ['print', 'final'], `${name} ${month}`);
  }
  const { periods, indexes } = gapsOf(state, run.clock.now());
  assert.deepEqual(periods, [], 'the log owes no print');
  // Deadlines of the past may be still to come.
  for (const { ticker: name, dates } of gapsOf(state, run.clock.now() + 90 * DAY_SECONDS).periods) {
    const printed = periodRows(state, name).filter(([, { basis }]) => basis === 'print');
    assert.ok((dates[0] ?? '') > (printed.at(-1)?.[0] ?? ''), `${name} will owe ${dates[0]}`);
  }
  assert.equal(indexes.length > 0, true, 'without the end of the day there is no index entry');
  for (const name of ['MINTS', 'TRENCHES', 'GIGS', 'WAGE', 'YESNO', 'MODELS']) {
    const rows = periodRows(state, ticker(name));
    assert.equal(rows.length, 105, name);
    for (const [period, row] of rows) assert.equal(row.status, 'final', `${name} ${period}`);
    const scored = rows.filter(([, row]) => row.z !== null);
    assert.ok(scored.length >= 5 && scored.length <= 7, `${name} ${scored.length}`);
    const withheld = name === 'YESNO' || name === 'MODELS';
    for (const [, row] of rows) {
      assert.equal(row.value === null, withheld, name);
      assert.equal(row.commitment !== null, withheld, name);
    }
  }
  const verdict = await verdictOn(run as never);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
});

test('replay: again, and started again, it adds nothing', async () => {
  const openings = new MemoryOpenings();
  const names = ['cpi', 'LAYOFFS'];
  const run = await start(names, await memoryPlace(), new MemoryBlobStore(), openings);
  await run.replay();
  const before = await contents(run.place.store);
  await run.replay();
  assert.deepEqual(await contents(run.place.store), before);
  const again = await start(names, run.place, run.blobs, openings);
  await again.replay();
  assert.deepEqual(await contents(run.place.store), before);
});

test('replay: cut short after any commit, it goes on to the same months', async () => {
  const names = ['unemp'];
  const more = { indices: await longAgo(names, MONTHS) };
  const openings = (): MemoryOpenings => new MemoryOpenings();
  const whole = await start(names, await memoryPlace(), new MemoryBlobStore(), openings(), more);
  await whole.replay();
  const expected = rowsOf(whole, names);
  const commits = whole.place.store.commits.length;
  assert.ok(commits > 6);
  for (let cut = 1; cut < commits; cut += 1) {
    for (const how of ['failed', 'failed, but on disk'] as const) {
      const run = await start(names, await memoryPlace(), new MemoryBlobStore(), openings(), more);
      let left = cut;
      const { commit } = run.place.store;
      Object.assign(run.place.store, {
        commit: (batch: never) => {
          left -= 1;
          run.place.store.fail = left === 0 ? how : undefined;
          return commit(batch);
        },
      });
      await run.replay().catch(() => undefined);
      Object.assign(run.place.store, { commit, fail: undefined });
      const again = await start(names, run.place, run.blobs, openings(), more);
      await again.replay();
      assert.deepEqual(again.failed, [], `cut at commit ${cut}`);
      assert.equal(rowsOf(again, names), expected, `cut at commit ${cut}, ${how}`);
      assert.equal((await verdictOn(again as never)).outcome, 'verified', `cut at commit ${cut}`);
    }
  }
});

/** Periods without what another log must have different: report hashes name the log. */
function rowsOf({ ledger }: Run, names: readonly string[]): string {
  return JSON.stringify(
    names.map((name) =>
      periodRows(ledger.shown, ticker(name)).map(([period, row]) => {
        const { status, value, settlement_value: settled, revised, revised_on: on } = row;
        return [period, status, value, settled, revised, on];
      }),
    ),
  );
}

test('replay: each day ends once, at its end, whether or not it had rounds', async () => {
  const ends: number[] = [];
  const dayEnd = { run: (): Promise<void> => Promise.resolve(void ends.push(run.clock.now())) };
  const place = await memoryPlace();
  const run = await start(['unemp'], place, new MemoryBlobStore(), undefined, { dayEnd });
  const begun = run.clock.now();
  await run.replay();
  const days = Math.floor(run.clock.now() / DAY_SECONDS) - Math.floor(begun / DAY_SECONDS);
  assert.ok(days > 10, 'the rule is recorded two weeks before the release');
  assert.deepEqual(
    ends,
    Array.from({ length: days }, (_, i) => begun + (i + 1) * DAY_SECONDS),
  );
  const rows = periodRows(run.ledger.shown, ticker('unemp'));
  const printed = rows.flatMap(([, { published_at: at }]) => (at === null ? [] : [parseTime(at)]));
  assert.ok(Math.max(...printed) > (ends.at(-2) ?? 0), 'a day ends before the rounds of the next');
  assert.ok(Math.max(...printed) < (ends.at(-1) ?? 0), 'the last day has ended as well');
});

test('replay: ticks come at their times, among the rounds, and after the market is listed', async () => {
  const place = await memoryPlace();
  const { indices } = await developmentNetwork(nodeSha256, ['unemp']);
  const begun = replayStart(indices);
  const done: (number | string)[] = [];
  const market = {
    times: [0, 900, 3600, 40 * DAY_SECONDS].map((after) => begun + after),
    list: (): Promise<void> => Promise.resolve(void done.push('listed')),
    tick: (): Promise<void> => Promise.resolve(void done.push(run.clock.now() - begun)),
  };
  const steps: number[] = [];
  const onStep = (step: number): void => void steps.push(step);
  const more = { market, onStep };
  const run = await start(['unemp'], place, new MemoryBlobStore(), undefined, more);
  await run.replay();
  const late = done.slice(1).map((at, i) => Number(at) + begun - (market.times[i] ?? 0));
  assert.equal(done[0], 'listed');
  assert.ok(late.length === 4 && late.every((each) => each > 0 && each < 300));
  assert.deepEqual(
    steps,
    steps.map((_, i) => i),
  );
  assert.ok(steps.length > replaySteps(indices).length + market.times.length);
});
