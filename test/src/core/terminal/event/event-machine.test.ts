import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventMachine, type MachineStep } from '@assay/core/terminal/event/event-machine';
import { resumed } from '../../fixture/resumed.ts';
import { Random } from '../random.ts';
import { shortRule } from '../score-rule-fixture.ts';

/** open 70, close 55, 4 in a row, at most 24 ticks, silent after 6, armed again after 10. */
const RULE = shortRule().event;

/** A score; `null`: good without one; 'bad': not good; 'none': no tick at all. */
type Told = number | null | 'bad' | 'none';

/** Steps a machine through ticks from index 0; its times are ten times the index. */
function steps(told: readonly Told[], machine = new EventMachine(RULE)): readonly string[] {
  return told.flatMap((each, index) => {
    if (each === 'none') return [];
    const good = each !== 'bad';
    const step = machine.step(index, 10 * index, good ? each : null, good);
    return step === undefined ? [] : [line(step)];
  });
}

function line(step: MachineStep): string {
  if (step.kind === 'open') return `${step.at} open ${step.score}`;
  return `${step.at} close of ${step.openedAt}: ${step.reason}, peak ${step.peak}`;
}

const times = (count: number, told: Told): readonly Told[] =>
  Array.from({ length: count }, () => told);

test('event machine: opens at the bound on a good tick, armed from the start', () => {
  assert.deepEqual(steps([69, null, 'bad', 70]), ['30 open 70']);
  assert.deepEqual(steps([100, 100, 100]), ['0 open 100']);
});

test('event machine: a score that comes without a good tick is none', () => {
  const machine = new EventMachine(RULE);
  assert.equal(machine.step(0, 0, 99, false), undefined);
  assert.equal(machine.isOpen, false);
});

test('event machine: closes below after four scored ticks in a row, with its peak', () => {
  assert.deepEqual(steps([70, 54, 54, 54, 54]), ['0 open 70', '40 close of 0: below, peak 70']);
  assert.deepEqual(steps([70, 90, 54, 54, 55, 54, 54, 54, 54]), [
    '0 open 70',
    '80 close of 0: below, peak 90',
  ]);
});

test('event machine: a tick without a score, bad or missing breaks no row and counts as none', () => {
  assert.deepEqual(steps([70, 54, null, 54, 'bad', 54, 'none', 54]), [
    '0 open 70',
    '70 close of 0: below, peak 70',
  ]);
});

test('event machine: closes by age at its bound, with or without a good tick', () => {
  assert.deepEqual(steps([70, ...times(23, 60)]), ['0 open 70']);
  assert.deepEqual(steps([70, ...times(23, 60), 88]), [
    '0 open 70',
    '240 close of 0: age, peak 88',
  ]);
  assert.deepEqual(steps([70, ...times(23, 60), 'bad']), [
    '0 open 70',
    '240 close of 0: age, peak 70',
  ]);
});

test('event machine: closes after six ticks of silence, at whatever tick comes then', () => {
  assert.deepEqual(steps([70, ...times(5, 'bad')]), ['0 open 70']);
  const closed = ['0 open 70', '60 close of 0: silent, peak 70'];
  assert.deepEqual(steps([70, ...times(6, 'bad')]), closed);
  assert.deepEqual(steps([70, ...times(5, 'none'), 60]), closed, 'a good tick after no tick');
  assert.deepEqual(steps([70, ...times(5, 'none'), null]), closed, 'without a score');
  assert.deepEqual(steps([70, ...times(4, 'none'), 60, ...times(5, 'bad')]), ['0 open 70']);
  assert.deepEqual(steps([70, ...times(40, 'none'), 60]), [
    '0 open 70',
    '410 close of 0: age, peak 70',
  ]);
});

test('event machine: of two reasons the first is given: below, age, silent', () => {
  const old: readonly Told[] = [70, ...times(20, 60), 54, 54, 54, 54];
  assert.deepEqual(steps(old), ['0 open 70', '240 close of 0: below, peak 70']);
  assert.deepEqual(steps([70, ...times(17, 60), ...times(6, 'none'), 'bad']), [
    '0 open 70',
    '240 close of 0: age, peak 70',
  ]);
});

test('event machine: the tick that closes opens nothing, and nothing opens until it is armed', () => {
  assert.deepEqual(steps([70, ...times(60, 99)]), ['0 open 70', '240 close of 0: age, peak 99']);
});

test('event machine: is armed again ten ticks after the opening, once four in a row were below', () => {
  const closed = ['0 open 70', '40 close of 0: below, peak 70'];
  assert.deepEqual(steps([70, ...times(8, 54), 99]), closed, 'tick 9 is early');
  assert.deepEqual(steps([70, ...times(9, 54), 99]), [...closed, '100 open 99']);
  // A score of 55 or more breaks the row: four more are asked for.
  assert.deepEqual(steps([70, ...times(7, 54), 55, 54, 54, 54, 99]), closed);
  assert.deepEqual(steps([70, ...times(7, 54), 55, 54, 54, 54, 54, 99]), [
    ...closed,
    '130 open 99',
  ]);
  // The row is counted while the event is open too, and over ticks that are missing.
  assert.deepEqual(steps([70, ...times(4, 54), ...times(5, 'none'), 99]), [
    ...closed,
    '100 open 99',
  ]);
});

test('event machine: one that closed by age needs its quiet row all the same', () => {
  assert.deepEqual(steps([70, ...times(23, 60), 54, 54, 54, 54, 54, 71]), [
    '0 open 70',
    '240 close of 0: age, peak 70',
    '290 open 71',
  ]);
});

test('event machine: under other bounds what is open, armed and counted goes on', () => {
  const strict = { ...RULE, close: 40, consecutive: 6, max: 12 };
  const machine = new EventMachine(RULE);
  assert.deepEqual(steps([70, 54, 54, 54], machine), ['0 open 70']);
  machine.under(strict);
  const told: readonly Told[] = [...times(4, 'none'), 54];
  // A score of 54 ends the row of three, which a score of 39 goes on with.
  assert.deepEqual(steps(told, machine), []);
  const row = new EventMachine(RULE);
  steps([70, 54, 54, 54], row);
  row.under(strict);
  assert.deepEqual(steps([...times(4, 'none'), 39, 39, 39], row), [
    '60 close of 0: below, peak 70',
  ]);
  assert.deepEqual(steps([...times(12, 'none'), 60], machine), ['120 close of 0: age, peak 70']);
  // What was armed by the bounds before stays so.
  const armed = new EventMachine(RULE);
  steps([70, ...times(11, 54)], armed);
  armed.under({ ...RULE, rearm: 1000 });
  assert.deepEqual(steps([...times(12, 'none'), 99], armed), ['120 open 99']);
});

test('event machine: interrupted before every tick, it says what one says that never was', () => {
  const later = { ...RULE, close: 40, consecutive: 3, max: 12, rearm: 20 };
  const seen = new Set<string>();
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = new Random(seed);
    const whole = new EventMachine(RULE);
    let cut = new EventMachine(RULE);
    for (let index = 0; index < 400; index += 1) {
      if (index === 200) for (const each of [whole, cut]) each.under(later);
      if (random.oneIn(20)) continue;
      const spell = Math.floor(index / 15) % 3;
      const good = spell === 1 ? random.oneIn(6) : !random.oneIn(12);
      const score = random.oneIn(15) ? null : random.below(spell === 0 ? 101 : 60);
      cut = resumed(cut, new EventMachine(RULE));
      const expected = whole.step(index, 10 * index, score, good);
      assert.deepEqual(cut.step(index, 10 * index, score, good), expected, `${seed}, ${index}`);
      assert.equal(cut.isOpen, whole.isOpen);
      if (expected !== undefined) seen.add('reason' in expected ? expected.reason : 'open');
    }
  }
  assert.deepEqual([...seen].sort(), ['age', 'below', 'open', 'silent']);
});
