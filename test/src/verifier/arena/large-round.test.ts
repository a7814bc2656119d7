import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { formatTime, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { isGraded } from '@assay/core/view/rounds';
import { arenaRule, secretForecaster } from '../../core/arena/arena-log.ts';
import { RoundLog } from '../fixture/arena-rounds.ts';
import { draftsOf, judgeSite, publish, siteOf } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const FORECASTS = 10_000;
const CLOSE = parseTime('2026-08-06T11:30:00Z');

test('large round: 10,000 forecasts are frozen, graded in parts, and made again', async () => {
  const sample = await sampleLog();
  const log = new RoundLog({}, sample.rules.synthetic, true);
  const drafts = draftsOf(sample.entries);
  const print = drafts.findIndex(({ kind, at }) => kind === 'report/1' && at > formatTime(CLOSE));
  for (const { kind, body, at } of drafts.slice(0, print)) log.append(kind, body, at);
  const indices = [
    { ticker: 'LAYOFFS' as never, known: 'release', window_s: 432_000, close_before_s: 3600 },
  ] as const;
  log.append('arena-rule/1', { rule: arenaRule({ indices }) }, formatTime(CLOSE - 400_000));
  const [round] = log.open(formatTime(CLOSE - 400_000));
  const id = round?.id ?? '';
  for (let i = 0; i < FORECASTS; i += 1) {
    const at = formatTime(CLOSE - 300_000 + i);
    log.take(id, secretForecaster(`handle-${i}`), 200_000n + BigInt(i), at);
  }
  log.freeze(id, formatTime(CLOSE));
  log.unseal(id, formatTime(CLOSE + 60));
  for (const { kind, body, at } of drafts.slice(print, print + 2)) log.append(kind, body, at);
  const end = drafts[print + 1]?.at ?? '';
  log.grade(id, end);
  const { grade, freeze } = log.round(id);
  assert.equal(isGraded(log.round(id)), true);
  assert.deepEqual([freeze?.body.count, freeze?.body.handles], [FORECASTS, FORECASTS]);
  assert.equal(grade?.parts, Math.ceil((FORECASTS + 2) / 400));
  const openings = log.openings(id) ?? new Uint8Array(0);
  assert.ok(log.blobs.has(hashHex(contentHash(nodeSha256, openings))));
  const blobs = new Map([...sample.blobs, ...log.blobs]);
  const verdict = await judgeSite(siteOf(publish(log.entries, blobs, sample.checkpoints)));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.deepEqual([verdict.checked.forecasts, verdict.checked.grades], [FORECASTS, FORECASTS + 2]);
});
