import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeText } from '@assay/core/time/time';
import { type Damage, DamageLog, type DamageOwner } from '@assay/node/scrub/damage-log';

const AT = '2026-07-30T12:30:00Z' as TimeText;

function logOf(owner?: DamageOwner): { readonly log: DamageLog; readonly told: Damage[] } {
  const told: Damage[] = [];
  return {
    log: new DamageLog(
      () => 1_785_414_600,
      (each) => told.push(each),
      owner,
    ),
    told,
  };
}

const reasons = (log: DamageLog): readonly string[] =>
  log.concerns().map(({ level, reason }) => `${level}: ${reason}`);

test('damage log: each damage once, with when it was found', () => {
  const { log, told } = logOf();
  log.note('blob', 'ab');
  log.note('blob', 'ab');
  log.note('tile', '0/3', 'repaired');
  const expected = [
    { part: 'blob', name: 'ab', copy_of: null, found_at: AT, state: 'damaged' },
    { part: 'tile', name: '0/3', copy_of: null, found_at: AT, state: 'repaired' },
  ];
  assert.deepEqual(log.list, expected);
  assert.deepEqual(told, expected);
  assert.deepEqual([log.open, log.repaired], [1, 1]);
  assert.deepEqual(reasons(log), [
    'degraded: The blob with sha256 ab is damaged: assay restore brings it back from a copy.',
  ]);
  const counts = log.counts.filter(({ open, repaired }) => open + repaired > 0);
  assert.deepEqual(counts, [
    { part: 'tile', open: 0, repaired: 1 },
    { part: 'blob', open: 1, repaired: 0 },
  ]);
});

test('damage log: what is whole again is no concern, and what was repaired stays in the list', () => {
  const { log } = logOf();
  log.note('blob', 'ab');
  log.note('row', 'all', 'repaired');
  log.whole('blob', 'ab');
  log.whole('blob', 'cd');
  log.whole('row', 'all');
  assert.deepEqual(
    log.list.map(({ name }) => name),
    ['all'],
  );
  assert.deepEqual(reasons(log), []);
  log.note('row', 'all', 'repaired');
  assert.deepEqual([log.list.length, log.repaired], [1, 2], 'a second repair is counted');
  log.note('row', 'all');
  assert.equal(log.open, 1);
});

test('damage log: what was damaged may be missing the next time, and what is there again is not missing', () => {
  const { log } = logOf();
  const path = '2026-07-09/LAYOFFS.json';
  log.note('settlement', path);
  log.present('settlement', path);
  assert.equal(log.open, 1, 'it is there, and damaged');
  log.note('settlement', path, 'missing');
  assert.deepEqual(reasons(log), [
    `degraded: The settlement file ${path} is missing: copy it back from another mirror.`,
  ]);
  log.present('settlement', path);
  assert.equal(log.open, 0);
});

test('damage log: a copy of another log is distinguished from one of its own', () => {
  const { log } = logOf('recounter');
  log.note('blob', 'ab');
  log.note('blob', 'ab', 'damaged', 'publisher');
  log.note('entry', '7', 'damaged', 'https://peer.example');
  log.whole('blob', 'ab', 'https://peer.example');
  assert.deepEqual(reasons(log), [
    'degraded: The blob with sha256 ab is damaged: a backup has it.',
    "degraded: The blob with sha256 ab is damaged in the copy of the publisher's log: a backup, or that log, has it.",
    'degraded: Entry 7 is damaged in the copy of the log of https://peer.example: a backup, or that log, has it.',
  ]);
});

test('damage log: of very many some are kept and all are counted, each once', () => {
  const { log } = logOf();
  log.note('tile', '0/0', 'repaired');
  for (let i = 0; i < 1003; i += 1) log.note('entry', String(i));
  for (let i = 0; i < 1003; i += 1) log.note('entry', String(i));
  assert.equal(log.list.length, 1000);
  assert.equal(log.open, 1003);
  assert.equal(log.counts.find(({ part }) => part === 'entry')?.open, 1003);
  const said = reasons(log);
  assert.equal(said.length, 6);
  assert.equal(said.at(-1), 'degraded: 998 more things at rest are damaged or missing.');
  log.whole('entry', '1002');
  assert.equal(log.open, 1002);
});

test('damage log: what an earlier process found is known', () => {
  const { log, told } = logOf();
  log.load([{ part: 'opening', name: 'x', copy_of: null, found_at: AT, state: 'damaged' }]);
  assert.equal(log.open, 1);
  log.note('opening', 'x');
  assert.deepEqual(told, []);
});
