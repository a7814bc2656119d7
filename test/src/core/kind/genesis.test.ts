import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGenesis } from '@assay/core/kind/genesis';
import type { WireValue } from '@assay/core/wire/wire';
import { GENESIS } from '../fixture/fixture.ts';

test('genesis: the closed shape', () => {
  assert.deepEqual(parseGenesis(GENESIS, 'body'), GENESIS);
  const production = { ...GENESIS, origin: 'log.example/assay', network: 'production' };
  assert.deepEqual(parseGenesis(production, 'body'), production);
  const chained = {
    ...GENESIS,
    chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    program: '11111111111111111111111111111111',
  };
  assert.deepEqual(parseGenesis(chained, 'body'), chained);
  const policies = GENESIS['policies'] as Record<string, WireValue>;
  const cases: readonly (readonly [string, string, WireValue])[] = [
    ['body.origin', 'origin', ''],
    ['body.origin', 'origin', 'Development/x'],
    ['body.origin', 'origin', 'development/x y'],
    ['body.network', 'network', 'production'],
    ['body.network', 'origin', 'log.example/assay'],
    ['body.network', 'network', 'test'],
    ['body.report_key', 'report_key', 'ab'],
    ['body.checkpoint_vkey', 'checkpoint_vkey', ''],
    ['body.next_report_key_sha256', 'next_report_key_sha256', null],
    ['body.recovery_key_sha256', 'recovery_key_sha256', 'x'],
    ['body.chain', 'chain', 'solana'],
    ['body.program', 'program', '0OIl'.repeat(8)],
    ['body.policies.cosigners_required', 'policies', { ...policies, cosigners_required: 65 }],
    ['body.policies', 'policies', { ...policies, more: 1 }],
    ['body', 'more', 1],
  ];
  for (const [at, name, value] of cases) {
    assert.throws(
      () => parseGenesis({ ...GENESIS, [name]: value }, 'body'),
      { code: 'malformed', at },
      `${name}: ${JSON.stringify(value)}`,
    );
  }
});
