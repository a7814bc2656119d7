import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onchainFacts } from '@assay/verifier/summary/onchain-text';
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
  assert.deepEqual(onchainFacts(FACTS), [
    {
      name: 'chain',
      text:
        'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z: 1 feed, 8 prints and 0 Closes compared; ' +
        'by the word of rpc.example alone, slot 1,234,567',
      isDoubtful: true,
      isDetail: false,
    },
  ]);
});

test('what is behind, and what is newer', () => {
  const oldest = { of: 'print', ticker: 'LAYOFFS', period: '2026-07-25', seq: 48 } as const;
  const rows = onchainFacts({ ...FACTS, behind: { count: 1, oldest }, newer: 2, unseen: 3 });
  assert.deepEqual(
    rows.slice(1).map(({ name, text }) => `${name}: ${text}`),
    [
      'behind: 1 print or Close that the log has and the chain lacks; the oldest is the print of LAYOFFS 2026-07-25, entry 48',
      'newer: 2 things on chain came after the log that was read',
      'not seen: 3 prints and Closes that the log says are on chain, and that were not compared: the accounts are older, or do not include theirs',
    ],
  );
  assert.ok(rows.every(({ isDoubtful }) => isDoubtful));
  const close = onchainFacts({
    ...FACTS,
    behind: { count: 3, oldest: { ...oldest, of: 'close' } },
  });
  assert.match(close[1]?.text ?? '', /^3 prints and Closes .* the Close under LAYOFFS 2026-07-25/);
});
