import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { historyCsv } from '@assay/core/answer/history-csv';
import { releaseTime } from '@assay/core/rule/release';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate } from '@assay/core/time/time';
import { periodRow, periodRows } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { ruleVersions, tickers } from '@assay/core/view/rules';
import { DevelopmentClock } from '@assay/node/dev/development-clock';
import { DEVELOPMENT_INDICES, developmentNetwork } from '@assay/node/dev/development-indices';
import { type DemoReplay, replaySample, replaySteps } from '@assay/node/dev/replay';
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
  indexed: Pick<DemoReplay, 'indexed'> = {},
): Promise<Run> {
  const { indices, sites } = await developmentNetwork(nodeSha256, names);
  const begin = (replaySteps(indices)[0]?.at ?? 0) - DAY_SECONDS;
  const clock = new DevelopmentClock(begin, 1, () => 0);
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
  const parts = { indices, clock, anchoring, sha256: nodeSha256, notice: 'A test.', ...indexed };
  return { place, ledger, blobs, failed, replay: () => replaySample(ledger, scheduler, parts) };
}

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
  assert.ok(steps.length < 180, `${steps.length}`);
  for (const [i, { at }] of steps.entries()) assert.ok(i === 0 || at > (steps[i - 1]?.at ?? 0));
  const shared = steps.find(({ rounds }) => rounds.filter((r) => r.ticker === 'CPI').length > 1);
  assert.deepEqual(
    shared?.rounds.filter((r) => r.ticker === 'CPI').map(({ period }) => formatDate(period)),
    ['2025-11-01', '2025-10-01'],
  );
});

test('replay: claims as a node would have lived through them, from the releases themselves', async () => {
  const run = await start(['LAYOFFS'], await memoryPlace(), new MemoryBlobStore());
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

test('replay: the four monthly ones, with the month that was never published', async () => {
  const names = ['jobs', 'unemp', 'cpi', 'corecpi'];
  const run = await start(names, await memoryPlace(), new MemoryBlobStore());
  await run.replay();
  assert.deepEqual(run.failed, []);
  const row = (name: string, month: string): unknown => {
    const found = periodRow(run.ledger.shown, ticker(name), `${month}-01` as never);
    const settled = found?.settlement_value;
    return [found?.basis, found?.status, found?.value, settled, found?.revised];
  };
  const none = ['print', 'void', null, null, null];
  // The bureau's first prints: 64,000 jobs, 4.6 and 4.2 percent, -0.4 and 0.0 percent.
  assert.deepEqual(row('jobs', '2025-10'), ['history', null, '-105', null, null]);
  assert.deepEqual(row('jobs', '2025-11'), ['print', 'final', '64', '64', null]);
  assert.deepEqual(row('unemp', '2025-10'), none);
  assert.deepEqual(row('unemp', '2025-11'), ['print', 'final', '46', '46', '45']);
  assert.deepEqual(row('unemp', '2026-06'), ['print', 'final', '42', '42', null]);
  for (const name of ['cpi', 'corecpi']) {
    assert.deepEqual(row(name, '2025-10'), none);
    assert.deepEqual(row(name, '2025-11'), none, 'its base is missing');
    assert.deepEqual(row(name, '2026-05')?.valueOf(), row(name, '2026-05'));
  }
  assert.deepEqual(row('cpi', '2026-06'), ['print', 'final', '-4', '-4', null]);
  assert.deepEqual(row('corecpi', '2026-06'), ['print', 'final', '0', '0', null]);
  assert.deepEqual(row('cpi', '2026-03'), ['history', null, '9', null, null]);
  const [, last] = ruleVersions(run.ledger.shown, ticker('jobs'));
  assert.equal(last?.rule.applies_from, '2025-12-01');
  const invented = periodRows(run.ledger.shown, ticker('jobs')).filter(
    ([period]) => period >= '2025-12-01',
  );
  assert.equal(invented.length, 7);
  for (const [, { status, basis }] of invented)
    assert.deepEqual([basis, status], ['print', 'final']);
  assert.match(historyCsv(run.ledger.shown, ticker('cpi')), /,loaded as history$/m);
  assert.equal((await verdictOn(run as never)).outcome, 'verified');
});

test('replay: all eleven; z for the daily ones, no level of those that are withheld', async () => {
  const run = await start(DEVELOPMENT_INDICES, await memoryPlace(), new MemoryBlobStore());
  await run.replay();
  assert.deepEqual(run.failed, []);
  const state = run.ledger.shown;
  assert.equal(tickers(state).length, 11);
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
  const whole = await start(names, await memoryPlace(), new MemoryBlobStore());
  await whole.replay();
  const expected = rowsOf(whole, names);
  const commits = whole.place.store.commits.length;
  assert.ok(commits > 6);
  for (let cut = 1; cut < commits; cut += 1) {
    for (const how of ['failed', 'failed, but on disk'] as const) {
      const run = await start(names, await memoryPlace(), new MemoryBlobStore());
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
      const again = await start(names, run.place, run.blobs);
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

test('replay: the index entry of each day is searched for, from when on the days follow each other', async () => {
  const { indices } = await developmentNetwork(nodeSha256, ['LAYOFFS']);
  const steps = replaySteps(indices);
  const from = steps[2]?.at ?? 0;
  let looks = 0;
  const run = (): Promise<undefined> => {
    looks += 1;
    return Promise.resolve(undefined);
  };
  const indexed = { indexed: { from, indexing: { run } } };
  const place = await memoryPlace();
  const lived = await start(['LAYOFFS'], place, new MemoryBlobStore(), undefined, indexed);
  await lived.replay();
  assert.equal(looks, steps.length - 2);
});
