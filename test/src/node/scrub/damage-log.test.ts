import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Damage, DamageLog } from '@assay/node/scrub/damage-log';

const AT = '2026-07-30T12:30:00Z';

function logOf(): { readonly log: DamageLog; readonly told: Damage[] } {
  const told: Damage[] = [];
  return {
    log: new DamageLog(
      () => 1_785_414_600,
      (each) => told.push(each),
    ),
    told,
  };
}

test('damage log: each damage once, with when it was found', () => {
  const { log, told } = logOf();
  log.note('blob', 'ab');
  log.note('blob', 'ab');
  log.note('tile', '0/3', true);
  const expected = [
    { part: 'blob', name: 'ab', found_at: AT, repaired: false },
    { part: 'tile', name: '0/3', found_at: AT, repaired: true },
  ];
  assert.deepEqual(log.list, expected);
  assert.deepEqual(told, expected);
  assert.deepEqual([log.open, log.repaired], [1, 1]);
  assert.deepEqual(log.concerns(), [
    {
      level: 'degraded',
      reason:
        'The bytes with sha256 ab are damaged or missing: assay restore brings it back from a copy.',
    },
  ]);
});

test('damage log: what is whole again is no concern, and what was repaired stays told', () => {
  const { log } = logOf();
  log.note('blob', 'ab');
  log.note('row', 'log genesis', true);
  log.whole('blob', 'ab');
  log.whole('blob', 'cd');
  log.whole('row', 'log genesis');
  assert.deepEqual(
    log.list.map(({ name }) => name),
    ['log genesis'],
  );
  assert.deepEqual(log.concerns(), []);
  log.note('row', 'log genesis', false);
  assert.equal(log.open, 1);
});

test('damage log: of very many some are kept and all are counted', () => {
  const { log } = logOf();
  for (let i = 0; i < 1003; i += 1) log.note('entry', String(i));
  assert.equal(log.list.length, 1000);
  assert.equal(log.open, 1003);
  const reasons = log.concerns().map(({ reason }) => reason);
  assert.equal(reasons.length, 6);
  assert.equal(reasons.at(-1), '998 more things at rest are damaged.');
  log.begin();
  assert.equal(log.open, 1000);
});

test('damage log: what an earlier process found is known', () => {
  const { log, told } = logOf();
  log.load([{ part: 'opening', name: 'x', found_at: AT as never, repaired: false }]);
  assert.equal(log.open, 1);
  log.note('opening', 'x');
  assert.deepEqual(told, []);
});
