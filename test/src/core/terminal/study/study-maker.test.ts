import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { makeStudy } from '@assay/core/terminal/study/base-rate';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { parseStudyBlob } from '@assay/core/terminal/study/study-blob';
import { type MadeStudy, StudyMaker } from '@assay/core/terminal/study/study-maker';
import { formatTime } from '@assay/core/time/time';
import { SOME_HASH, sha256 } from '../../fixture/fixture.ts';
import { ordinaryOf } from '../study-fixture.ts';

const FIRST = 20_000 * 96;
const ID = '0199a0a0-0000-8000-8000-000000000000';

/** Two half days of two assets whose prices double in a day; ADA's event closes. */
function made(): MadeStudy {
  const maker = new StudyMaker(sha256, CRYPTO_RULE);
  for (let i = 0; i <= 96; i += 1) {
    const price = i === 96 ? 2000 : 1000;
    const good = new Map([
      ['ADA', price],
      ['BTC', price],
    ]);
    maker.tick({
      ts: (FIRST + i) * 900,
      index: FIRST + i,
      good,
      scored: () => good.keys(),
      price: () => price,
    });
    if (i === 2) takeEvent(maker);
  }
  return maker.make(3, 9);
}

function takeEvent(maker: StudyMaker, of: AssetClass = 'crypto'): void {
  const at = formatTime((FIRST + 2) * 900);
  maker.take({
    kind: 'event/1',
    body: {
      id: ID,
      symbol: 'ADA',
      class: of,
      opened_at: at,
      score: 80,
      move_24h: 700,
      vol_mult: 300,
      breadth: { up: 1, down: 0, of: 2 },
      price: SOME_HASH,
      rule: scoreRuleHash(sha256, CRYPTO_RULE),
    },
  });
  maker.take({
    kind: 'event-close/1',
    body: { id: ID, closed_at: at, reason: 'below', peak_score: 80 },
  });
}

test('study maker: the entry names the blob, and the blob is the study of events and ordinary moments', () => {
  const { body, blob } = made();
  const none = { ret: null, benchmark: null };
  const later = { '1d': none, '7d': none, '30d': none };
  const data = {
    class: 'crypto',
    rule: scoreRuleHash(sha256, CRYPTO_RULE),
    from: 3,
    to: 9,
    events: [
      {
        id: ID,
        symbol: 'ADA',
        opened_at: (FIRST + 2) * 900,
        move_24h: 700,
        breadth: { up: 1, down: 0, of: 2 },
        returns: later,
      },
    ],
    // BTC has doubled since its first half day; ADA's are beside its event.
    ordinary: ordinaryOf([{ ...later, '1d': { ret: 10_000, benchmark: null } }, later, later]),
  } as const;
  assert.deepEqual(parseStudyBlob(blob), makeStudy(sha256, data));
  const { class: of, rule, from, to } = data;
  assert.deepEqual(body, { class: of, rule, from, to, blob: hashHex(contentHash(sha256, blob)) });
  assert.deepEqual(made(), { body, blob });
});

test('study maker: splits, delistings and events of its class count for ordinary moments, and no other class', () => {
  const maker = new StudyMaker(sha256, CRYPTO_RULE);
  const effective_at = formatTime((FIRST + 40) * 900);
  const split = { symbol: 'ADA', effective_at, numerator: 2, denominator: 1 };
  maker.take({ kind: 'split/1', body: split });
  const asset = {
    name: 'n',
    class: 'crypto',
    decimals: 2,
    listed: true,
    display: true,
  } as const;
  const symbols = ['ADA', 'BTC', 'ETH', 'SOL'];
  for (let i = 0; i <= 96; i += 1) {
    if (i === 50) {
      maker.take({ kind: 'asset/1', body: { ...asset, symbol: 'ETH', listed: false } });
      maker.take({ kind: 'asset/1', body: { ...asset, symbol: 'SOL', listed: false } });
      maker.take({ kind: 'asset/1', body: { ...asset, symbol: 'SOL' } });
    }
    const good = new Map(symbols.map((symbol) => [symbol, true]));
    const price = (symbol: string): number => (symbol === 'ADA' && i >= 40 ? 500 : 1000);
    maker.tick({ ts: (FIRST + i) * 900, index: FIRST + i, good, scored: () => good.keys(), price });
    if (i === 2) takeEvent(maker, 'stock');
  }
  const { ordinary } = parseStudyBlob(maker.make(0, 1).blob);
  // Of three, nothing but the split moved the price; what ETH did is not known.
  assert.deepEqual(ordinary.horizons['1d'], {
    n: 3,
    up_share: 0,
    median_ret: 0,
    median_excess: 0,
  });
});

test('study maker: under a later version of the rule moments follow its day, and the study names it', () => {
  const later = { ...CRYPTO_RULE, version: 2, volume: { ...CRYPTO_RULE.volume, day: 48 } };
  const moments = (at: number): readonly [rule: string, n: number] => {
    const maker = new StudyMaker(sha256, CRYPTO_RULE);
    for (let i = 0; i <= 192; i += 1) {
      if (i === at) maker.under(later);
      const good = new Map([['ADA', 1000]]);
      const tick = { ts: (FIRST + i) * 900, index: FIRST + i, good };
      maker.tick({ ...tick, scored: () => good.keys(), price: () => 1000 });
    }
    const { body, blob } = maker.make(0, 1);
    return [body.rule, parseStudyBlob(blob).ordinary.horizons['1d'].n];
  };
  // Those at ticks 0, 48 and 96 have their day; under the later rule those at 24 and 72 too.
  assert.deepEqual(moments(500), [scoreRuleHash(sha256, CRYPTO_RULE), 3]);
  assert.deepEqual(moments(25), [scoreRuleHash(sha256, later), 4]);
});
