import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAIN_ERRORS, type ChainError } from '@assay/chain/errors';
import { runSequences, type Seen } from '../src/chain/fixture/sequence.ts';
import { needsSvm } from '../src/chain/fixture/world.ts';
import { LONG } from './told.ts';

/** Random sequences of each cadence. */
const RUNS = LONG ? 3000 : 100;

/**
 * What no sequence does, for the client makes no such bytes, or no account is ever so. Each has its own
 * test in errors.test.
 */
const NOT_REACHED: readonly ChainError[] = [
  'instruction',
  'accounts',
  'not_signer',
  'not_writable',
  'wrong_size',
  'wrong_magic',
  'wrong_program',
  'wrong_sysvar',
  'ed_instruction',
  'ed_offsets',
  'ed_message',
  'message_magic',
  'bad_status',
  'bad_cadence',
  'corrupt',
];

const seen: Seen = new Map();

for (const cadence of ['week_ending_saturday', 'utc_day', 'month'] as const) {
  test(`chain: ${RUNS} sequences of the program and its model, ${cadence}`, needsSvm, () =>
    runSequences(cadence, RUNS, seen),
  );
}

test('chain: thousands of sequences reach every refusal of a rule', needsSvm, (t) => {
  const reached = new Set([...seen.keys()].map((name) => name.split(': ')[1]));
  const missing = CHAIN_ERRORS.filter((name) => !reached.has(name));
  t.diagnostic(`not reached: ${missing.join(', ')}`);
  for (const name of NOT_REACHED) assert.ok(missing.includes(name), `${name} is reached`);
  if (LONG) assert.deepEqual(missing, NOT_REACHED);
});
