import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { compareFacts, openAccount, type OnchainContext } from '@assay/verifier/feed/account-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { PROGRAM } from '../fixture/chained-log.ts';

const data = Uint8Array.of(1, 2, 3);
const opened = (owner: string, parse: (bytes: Uint8Array) => number) => {
  const findings = new Findings();
  const context = { log: { program: PROGRAM }, findings } as unknown as OnchainContext;
  const value = openAccount({ owner, data, slot: 1 }, 'chain X feed', parse, context);
  return { value, found: findings.list.map(({ code, found }) => `${code} ${found}`) };
};

test('an account is opened when the program owns it and wrote it', () => {
  assert.deepEqual(
    opened(PROGRAM, (bytes) => bytes.length),
    { value: 3, found: [] },
  );
  assert.deepEqual(
    opened('1'.repeat(32), () => 1),
    {
      value: undefined,
      found: [`feed_differs of ${'1'.repeat(32)}`],
    },
  );
  const broken = opened(PROGRAM, () => {
    throw new Fault('malformed', 'page account', { at: 'byte 7' });
  });
  assert.deepEqual(broken, {
    value: undefined,
    found: ['feed_differs page account at byte 7'],
  });
});

test('facts are compared one by one, and each that differs is a finding', () => {
  const findings = new Findings();
  compareFacts({ a: 1, b: [1, 2], c: 'x' }, { a: 2, b: [1, 3], c: 'x' }, 'chain X feed', findings);
  assert.deepEqual(
    findings.list.map(({ place, expected, found }) => [place, expected, found]),
    [
      ['chain X feed, a', '1', '2'],
      ['chain X feed, b/1', '2', '3'],
    ],
  );
});
