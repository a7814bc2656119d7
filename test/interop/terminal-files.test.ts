import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { REPLAY_RULES } from '@assay/core/terminal/rule/score-rules';
import { formatTime } from '@assay/core/time/time';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { scratch } from '../src/cli/fixture/run.ts';
import { Random } from '../src/core/terminal/random.ts';
import { coreLines, replayedStudy } from './terminal-core.ts';
import { chance, hasPython, LONG, SEED, twin } from './terminal-peers.ts';

const START = Date.parse('2026-01-30T00:00:00Z') / 1000;

const { crypto } = REPLAY_RULES;
const RULE: ScoreRule = {
  ...crypto,
  returns: { long: 8, short: 2, tolerance: 1, sample: 1, window: 80, min_samples: 20 },
  volume: { day: 4, days: 5, min_days: 2 },
  event: { open: 20, close: 15, consecutive: 2, max: 20, silent: 8, rearm: 8 },
  receipts: { void_after_s: 3600, benchmark: 'S0', benchmark_tolerance_s: 900 },
};

/** 12345 with 2 decimals as `123.45`, `12345e-2`, `12345e-02` or `0.12345E+3`. */
function written(random: Random, units: number, decimals: number): string {
  const digits = String(units);
  const padded = digits.padStart(decimals + 1, '0');
  const at = padded.length - decimals;
  const exponent = digits.length - decimals;
  const forms = [
    `${padded.slice(0, at)}.${padded.slice(at)}`,
    `${digits}e-${decimals}`,
    `${digits}e-${String(decimals).padStart(2, '0')}`,
    `0.${digits}E${exponent > 0 ? '+' : ''}${exponent}`,
  ];
  return forms[random.oneIn(2) ? 0 : random.below(4)] ?? '';
}

/**
 * A file of four days: a walk with prints far from it, rows that are missing, and closes of 0, now and then of all
 * assets at once.
 */
function madeFile(seed: number): string {
  const random = new Random(seed);
  const decimals = [2, 6, 14][random.below(3)] ?? 2;
  let price = 1_000_000 + random.below(1_000_000_000);
  const rows: string[] = [];
  for (let i = 0; i < 400; i++) {
    const step = random.oneIn(40) ? 500 : 20;
    price = Math.max(
      100_000,
      Math.round((price * (1000 - step + random.below(2 * step + 1))) / 1000),
    );
    if (random.oneIn(100)) continue;
    const bad = random.oneIn(15)
      ? ([0.1, 0.19, 0.21, 0.5, 2, 4.9, 5.1, 9][random.below(8)] ?? 1)
      : 1;
    const close = i % 130 === 129 || random.oneIn(150) ? 0 : Math.round(price * bad);
    const volume = random.below(1_000_000_000);
    rows.push(
      `${formatTime(START + i * 900)},${written(random, close, decimals)},${written(random, volume, 3)}`,
    );
  }
  return `close_time,close,volume\n${rows.join('\n')}\n`;
}

test(
  'terminal files: exponents, decimals, bad prints and closes of 0',
  { timeout: 3_600_000 },
  async (t) => {
    if (!hasPython(t)) return;
    t.diagnostic(`seed ${SEED} (ASSAY_FUZZ_SEED)`);
    let outliers = 0;
    for (let run = 0; run < (LONG ? 50 : 5); run++) {
      const folder = await scratch(t);
      for (let i = 0; i < 5; i++) {
        const seed = 1 + chance(`${SEED} ${run} ${i}`, 2 ** 31 - 3);
        await writeFile(join(folder, `S${i}USDT.15m.csv.gz`), gzipSync(madeFile(seed)));
      }
      const market = await MarketFolder.open(folder, CRYPTO_FORMAT);
      outliers += market.files.reduce((sum, file) => sum + file.outliers.length, 0);
      const [own, study, other, [edge]] = await Promise.all([
        coreLines(market, RULE),
        replayedStudy(market, RULE),
        twin(['market', folder, JSON.stringify(RULE)]),
        twin(['edge', folder, JSON.stringify(RULE)]),
      ]);
      for (const [i, line] of own.entries())
        assert.equal(line, other[i], `run ${run}, line ${i + 1}`);
      assert.equal(own.length, other.length);
      assert.equal(study, edge, `run ${run}`);
      assert.ok(own.some((line) => line.startsWith('open')));
    }
    t.diagnostic(`${outliers} rows left out`);
    assert.ok(outliers > 0);
  },
);
