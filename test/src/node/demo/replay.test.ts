import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { historyCsv } from '@assay/core/payload/history-csv';
import type { Ticker } from '@assay/core/ticker';
import { periodRows } from '@assay/core/view/periods';
import { ruleVersions } from '@assay/core/view/rules';
import { readClaimsSample } from '@assay/node/demo/claims-sample';
import { DevelopmentClock } from '@assay/node/demo/development-clock';
import { DevelopmentSource } from '@assay/node/demo/development-source';
import { replaySample } from '@assay/node/demo/replay';
import type { Ledger } from '@assay/node/ledger/ledger';
import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { readRuleFile } from '@assay/node/rule-file';
import { Scheduler } from '@assay/node/scheduler';
import {
  contents,
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  type Place,
  REPORT_SIGNER,
} from '../ledger/ledger-fixture.ts';
import { SAMPLES, verdictOn } from '../round-fixture.ts';
import { MemoryOpenings } from '@assay/node/openings';
import { randomBytes } from 'node:crypto';

const LAYOFFS = 'LAYOFFS' as Ticker;
const sample = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.1.json'));
const synthetic = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.2.json'));
const vintages = await readClaimsSample(join(SAMPLES, 'claims', 'initial-claims.json'));

interface Run {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly blobs: MemoryBlobStore;
  readonly failed: string[];
  readonly replay: () => Promise<void>;
}

/** A demo's parts over a place that may have a past. */
async function start(place: Place, blobs: MemoryBlobStore): Promise<Run> {
  const begin = ((vintages[0]?.asOf ?? 0) - 1) * 86_400;
  const clock = new DevelopmentClock(begin, 1, () => 0);
  const ledger = await openAt(place, { now: clock.now });
  if (ledger.nextSeq === 0) await ledger.append([GENESIS_DRAFT], 0);
  const source = new DevelopmentSource(vintages, synthetic, clock.now);
  const failed: string[] = [];
  const scheduler = new Scheduler(
    {
      ledger,
      signer: REPORT_SIGNER,
      source,
      blobs,
      sha256: nodeSha256,
      now: clock.now,
      openings: new MemoryOpenings(),
      random: randomBytes,
    },
    0,
    {
      onRound: () => undefined,
      onRoundFailed: (_, period, error) => failed.push(`${period} ${(error as Error).message}`),
    },
  );
  const parts = { sample, synthetic, vintages, clock, sha256: nodeSha256 };
  return { place, ledger, blobs, failed, replay: () => replaySample(ledger, scheduler, parts) };
}

test('replay: the sample as a node would have lived through it', async () => {
  const run = await start(await memoryPlace(), new MemoryBlobStore());
  await run.replay();
  assert.deepEqual(run.failed, []);
  const rows = periodRows(run.ledger.shown, LAYOFFS);
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
  for (const [period, row] of rows) {
    const newest = vintages
      .at(-1)
      ?.weeks.find((week) => week.period === Date.parse(period) / 86_400_000);
    assert.equal(row.revised ?? row.value, `${newest?.claims}`, period);
    if (row.basis === 'history') assert.equal(row.settlement_value, null);
  }
  assert.deepEqual(
    ruleVersions(run.ledger.shown, LAYOFFS).map(({ rule }) => rule.version),
    [1, 2],
  );
  const csv = historyCsv(run.ledger.shown, LAYOFFS).split('\n');
  assert.ok(
    csv.some((line) => line.startsWith('LAYOFFS,2025-12-27,199000,199000,203000,2026-07-09,')),
  );
  const verdict = await verdictOn(run as never);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
});

test('replay: again, and started again, it adds nothing', async () => {
  const run = await start(await memoryPlace(), new MemoryBlobStore());
  await run.replay();
  const before = await contents(run.place.store);
  await run.replay();
  assert.deepEqual(await contents(run.place.store), before);
  const again = await start(run.place, run.blobs);
  await again.replay();
  assert.deepEqual(await contents(run.place.store), before);
});

test('replay: cut short after any commit, it goes on to the same weeks', async () => {
  const whole = await start(await memoryPlace(), new MemoryBlobStore());
  await whole.replay();
  const expected = JSON.stringify(periodRows(whole.ledger.shown, LAYOFFS).map(plain));
  const commits = whole.place.store.commits.length;
  for (let cut = 1; cut < commits; cut += 1) {
    for (const how of ['failed', 'failed, but on disk'] as const) {
      const run = await start(await memoryPlace(), new MemoryBlobStore());
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
      const again = await start(run.place, run.blobs);
      await again.replay();
      assert.deepEqual(again.failed, [], `cut at commit ${cut}`);
      const found = JSON.stringify(periodRows(again.ledger.shown, LAYOFFS).map(plain));
      assert.equal(found, expected, `cut at commit ${cut}, ${how}`);
      assert.equal((await verdictOn(again as never)).outcome, 'verified', `cut at commit ${cut}`);
    }
  }
});

/** A week without what another log must have different: report hashes name the log. */
function plain([period, row]: ReturnType<typeof periodRows>[number]): unknown {
  return [period, row.status, row.value, row.settlement_value, row.revised, row.revised_on];
}
