import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { REPLAY_RULES } from '@assay/core/terminal/rule/score-rules';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { replayedStudy } from './terminal-core.ts';
import { chance, LONG, markets, part, twin } from './terminal-peers.ts';

const RULE = REPLAY_RULES.crypto;

/** The study that a replay of a folder ends with, which the twin makes too. */
async function compared(t: TestContext, folder: string, rule: ScoreRule): Promise<EdgeStudy> {
  const [own, [other]] = await Promise.all([
    MarketFolder.open(folder, CRYPTO_FORMAT).then((market) => replayedStudy(market, rule)),
    twin(['edge', folder, JSON.stringify(rule)]),
  ]);
  if (own !== other) assert.deepEqual(JSON.parse(own), JSON.parse(other ?? ''));
  assert.equal(own, other);
  const study = JSON.parse(own) as EdgeStudy;
  const { number, later_from, left_out, moments } = study;
  const gone = moments.filter(({ returns }) => returns['7d']?.gone === true).length;
  t.diagnostic(JSON.stringify({ number, later_from, left_out, moments: moments.length, gone }));
  return study;
}

const SYMBOLS =
  'BTC 1000BONK 1000FLOKI 1000PEPE 1000SHIB AAVE ADA ALGO APE APT ARB ATOM AVAX BCH BNB CRV DOGE DOT ETH'.split(
    ' ',
  );

test('terminal study: with assets and rows missing', { timeout: 3_600_000 }, async (t) => {
  const path = markets(t);
  if (path === undefined) return;
  const end = LONG ? '2025-10' : '2024-12-06';
  const folder = await part(t, path, SYMBOLS, (time, symbol) => {
    if (time >= end) return false;
    // Four are gone for good, one for twenty days; others for days, hours and rows on every twelfth day.
    if (['AAVE', 'ALGO', 'DOGE', 'CRV'].includes(symbol) && time >= '2024-11-14') return false;
    if (symbol === 'ADA' && time >= '2024-11-09' && time < '2024-11-29') return false;
    const day = time.slice(0, 10);
    if (chance(`${symbol} ${day}`, 12) > 0) return true;
    const hour = chance(`${symbol} ${time.slice(0, 13)}`, 4) > 0;
    return hour && chance(symbol + time, 10) > 0 && chance(`${symbol} away ${day}`, 8) > 0;
  });
  const { event, volume, returns } = RULE;
  const { moments, left_out } = await compared(t, folder, {
    ...RULE,
    returns: { ...returns, window: 480, min_samples: 48, tolerance: 2 },
    volume: { ...volume, days: 5, min_days: 2 },
    event: { ...event, open: 40, close: 24, max: 20, silent: 12, rearm: 24, consecutive: 2 },
    receipts: { void_after_s: 86_400, benchmark: 'BTC', benchmark_tolerance_s: 900 },
  });
  const all = moments.map(({ returns: found }) => found['7d'] ?? assert.fail());
  assert.ok(moments.length > 50);
  assert.ok(all.some(({ gone }) => gone));
  assert.ok(all.some(({ gone_controls: n }) => n > 0));
  assert.ok(left_out.not_over > 0);
});

test('terminal study: the whole recorded year', { timeout: 3_600_000 }, async (t) => {
  const path = markets(t);
  if (path === undefined) return;
  if (!LONG) {
    t.skip('ASSAY_TERMINAL_LONG is not set');
    return;
  }
  await compared(t, path, RULE);
});
