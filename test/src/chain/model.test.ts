import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSequences, type Seen } from './fixture/sequence.ts';
import { needsSvm } from './fixture/world.ts';

/** Random sequences of each cadence; test/fault runs thousands. */
const RUNS = Math.ceil(Number(process.env['ASSAY_CHAIN_RUNS'] ?? 120) / 3);

const seen: Seen = new Map();

for (const cadence of ['week_ending_saturday', 'utc_day', 'month'] as const) {
  test(`chain: the program does what the model does, ${cadence}`, needsSvm, () =>
    runSequences(cadence, RUNS, seen),
  );
}

test('chain: the sequences reach every instruction, and most refusals', needsSvm, () => {
  const names = [...seen.keys()].sort();
  if (process.env['ASSAY_CHAIN_RUNS'] !== undefined) console.log(seen);
  for (const kind of [
    'init',
    'open',
    'publish',
    'again',
    'dissent',
    'rule',
    'set',
    'rotate',
    'cancel',
    'close',
  ]) {
    assert.ok(names.includes(`${kind}: done`), kind);
  }
  assert.ok(names.length >= 40, names.join(', '));
});
