import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onchainRows } from '@assay/cli/verify/onchain-text';
import type { OnchainFacts } from '@assay/verifier/verdict/verdict';

const FACTS: OnchainFacts = {
  chain: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
  program: 'AssayFeed1111111111111111111111111111111111',
  source: 'the word of rpc.example',
  slot: 1_234_567,
  feeds: 1,
  prints: 8,
  closes: 0,
  behind: { count: 0, oldest: null },
  newer: 0,
  unseen: 0,
};

test('what was compared, and by whose claim alone: never as plain as what is proven', () => {
  assert.deepEqual(onchainRows(FACTS), [
    {
      name: 'chain',
      words:
        'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z: 1 feed, 8 prints and 0 Closes compared; ' +
        'by the word of rpc.example alone, slot 1,234,567',
      plain: false,
    },
  ]);
});

test('what is behind, and what is newer', () => {
  const oldest = { of: 'print', ticker: 'LAYOFFS', period: '2026-07-25', seq: 48 } as const;
  const rows = onchainRows({ ...FACTS, behind: { count: 1, oldest }, newer: 2, unseen: 3 });
  assert.deepEqual(
    rows.slice(1).map(({ name, words }) => `${name}: ${words}`),
    [
      'behind: 1 print or Close that the log has and the chain lacks; the oldest is the print of LAYOFFS 2026-07-25, entry 48',
      'newer: 2 things on chain came after the log that was read',
      'not seen: 3 prints and Closes that the log says are on chain, and that were not compared: the accounts are older, or do not include theirs',
    ],
  );
  assert.ok(rows.every(({ plain }) => !plain));
  const close = onchainRows({ ...FACTS, behind: { count: 3, oldest: { ...oldest, of: 'close' } } });
  assert.match(close[1]?.words ?? '', /^3 prints and Closes .* the Close under LAYOFFS 2026-07-25/);
});
