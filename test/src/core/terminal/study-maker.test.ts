import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash';
import { makeStudy } from '@assay/core/terminal/base-rate';
import { scoreRuleHash } from '@assay/core/terminal/score-rule';
import { CRYPTO_RULE } from '@assay/core/terminal/score-rules';
import { parseStudyBlob } from '@assay/core/terminal/study-blob';
import { type MadeStudy, StudyMaker } from '@assay/core/terminal/study-maker';
import { formatTime } from '@assay/core/time';
import { SOME_HASH, sha256 } from '../fixture.ts';
import { ordinaryOf } from './study-fixture.ts';

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
    const opened = i === 2 ? ['ADA'] : [];
    maker.tick({ ts: (FIRST + i) * 900, index: FIRST + i, good, price: () => price, opened });
  }
  const at = formatTime((FIRST + 2) * 900);
  maker.take({
    kind: 'event/1',
    body: {
      id: ID,
      symbol: 'ADA',
      class: 'crypto',
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
  return maker.make(3, 9);
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
