import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { cosignerScenario, twoFinals } from './explored-cosigner.ts';
import {
  begin,
  type Begun,
  type Broken,
  forkingProgram,
  publisherProgram,
  scenarioOf,
  witnessProgram,
  worldOf,
} from './explored-log.ts';
import { explore, type Scenario } from './explorer.ts';

/** With ASSAY_FAULT_LONG=1 more crashes are tried, and every schedule to its end. */
const LONG = process.env['ASSAY_FAULT_LONG'] === '1';
const LIMIT = LONG ? 5_000_000 : 10_000;

const begun: Begun = await begin();
const finals = await twoFinals();

/** A co-signer that is shown two finals of one period. */
const cosigner = (crashes: number, isBroken: boolean): Scenario =>
  cosignerScenario(worldOf(begun, ['cosigner']), finals, crashes, isBroken);

/** Publishers on copies of one data folder and one guard, with or without a witness. */
function world(of: {
  readonly publishers: number;
  readonly crashes: number;
  readonly size: number;
  /** Crashes of the witness; without one where absent. */
  readonly witness?: number;
  readonly asks?: boolean;
  readonly isCrowded?: boolean;
  /** What a copy from the beginning is put back of. */
  readonly restored?: 'store' | 'store and guard';
  readonly broken?: readonly Broken[];
  /** Whether a crash takes what was not synced. */
  readonly power?: boolean;
  /** Whether each start must succeed. */
  readonly mustOpen?: boolean;
  /** Whether what the log signs beside the witness is let pass. */
  readonly cosignedOnly?: boolean;
}): Scenario {
  const names = Array.from({ length: of.publishers }, (_, i) => `publisher-${i + 1}`);
  const log = worldOf(begun, names, of.broken);
  log.cosignedOnly = of.cosignedOnly ?? false;
  log.mustOpen = of.mustOpen ?? false;
  log.power = of.power ?? false;
  const { crashes, size, asks = false, isCrowded = false } = of;
  const isWitnessed = of.witness !== undefined;
  const programs = names.map((name) =>
    publisherProgram(log, { name, crashes, size, isWitnessed, asks, isCrowded }),
  );
  if (of.witness !== undefined) programs.unshift(witnessProgram(log, of.witness));
  const event = {
    label: `a copy of the ${of.restored}`,
    // Nobody puts a folder back under a process that runs.
    can: (up: (name: string) => boolean) => !names.some(up),
    happen: () => {
      for (const name of names) log.disks.set(name, begun.disk);
      if (of.restored === 'store and guard') log.guard = begun.guard;
    },
  };
  return scenarioOf(log, programs, of.restored === undefined ? [] : [event]);
}

/** Two histories under one key, shown to one witness. */
function forking(crashes: number, size: number, broken: readonly Broken[] = []): Scenario {
  const log = worldOf(begun, [], broken);
  log.cosignedOnly = true;
  const forks = ['one', 'other'].map((name) => forkingProgram(log, name, begun, size));
  return scenarioOf(log, [witnessProgram(log, crashes), ...forks]);
}

async function holds(t: TestContext, make: () => Scenario): Promise<void> {
  const found = await explore(make, LIMIT);
  const { states, schedules, violation, isComplete } = found;
  t.diagnostic(`${states} states, ${schedules} schedules${isComplete ? ', all there are' : ''}`);
  assert.equal(violation, undefined, JSON.stringify(violation, null, 1));
  assert.ok(isComplete || LONG);
}

async function isCaught(t: TestContext, make: () => Scenario, words: RegExp): Promise<void> {
  const { states, schedules, violation } = await explore(make, LIMIT);
  t.diagnostic(`caught after ${states} states, ${schedules} schedules: ${violation?.words}`);
  assert.match(violation?.words ?? 'nothing was caught', words);
}

test('explorer: a publisher and its witness', (t) =>
  holds(t, () => world({ publishers: 1, crashes: 0, size: LONG ? 3 : 2, witness: LONG ? 2 : 1 })));

test('explorer: a publisher that crashes, and its witness', (t) =>
  holds(t, () => world({ publishers: 1, crashes: LONG ? 2 : 1, size: LONG ? 3 : 2, witness: 0 })));

/** A crash takes any of the commits that were not synced, also one before another that it leaves. */
const unpowered = (broken: readonly Broken[]): Scenario =>
  world({
    publishers: 1,
    crashes: LONG ? 2 : 1,
    size: LONG ? 4 : 3,
    power: true,
    mustOpen: true,
    broken,
  });

test('explorer: a publisher whose power fails finds every entry again', (t) =>
  holds(t, () => unpowered([])));

test('explorer: a store that is synced after the guard was told so is caught', (t) =>
  isCaught(t, () => unpowered(['store']), /a start was refused/));

test('explorer: a publisher with several callers', (t) =>
  holds(t, () => world({ publishers: 1, crashes: LONG ? 3 : 1, size: 4, isCrowded: true })));

test('explorer: two processes over one guard', (t) =>
  holds(t, () => world({ publishers: 2, crashes: 1, size: LONG ? 3 : 2 })));

test(
  'explorer: two processes over one guard, and a witness',
  { skip: LONG ? false : 'in the long form' },
  (t) => holds(t, () => world({ publishers: 2, crashes: 0, size: 2, witness: 0 })),
);

test('explorer: a store that is put back from a copy', (t) =>
  holds(t, () => world({ publishers: 1, crashes: LONG ? 3 : 2, size: 3, restored: 'store' })));

/** What a back-up must never hold is put back: the guard too. */
const guardBack = (cosignedOnly: boolean): Scenario =>
  world({
    publishers: 1,
    crashes: 1,
    size: 2,
    witness: 0,
    asks: true,
    restored: 'store and guard',
    cosignedOnly,
  });

test('explorer: a guard that is put back with the store: the witness cosigns one history', (t) =>
  holds(t, () => guardBack(true)));

test('explorer: a guard that is put back with the store: that the log signs two is caught', (t) =>
  isCaught(t, () => guardBack(false), /two histories|lacks it/));

test('explorer: a witness that is shown two histories', (t) =>
  holds(t, () => forking(LONG ? 2 : 1, LONG ? 3 : 2)));

test('explorer: a guard that answers before it has written is caught', (t) =>
  isCaught(
    t,
    () => world({ publishers: 1, crashes: 1, size: 3, restored: 'store', broken: ['guard'] }),
    /two histories|lacks it/,
  ));

test('explorer: a guard that does not compare is caught', (t) =>
  isCaught(
    t,
    () => world({ publishers: 2, crashes: 0, size: 2, broken: ['comparing'] }),
    /two histories|lacks it/,
  ));

test('explorer: a store that answers before it has written is refused at the start', (t) =>
  holds(t, () => world({ publishers: 1, crashes: 2, size: 2, broken: ['store'] })));

test('explorer: store and guard that answer before they have written are caught', (t) =>
  isCaught(
    t,
    () => world({ publishers: 1, crashes: 2, size: 3, broken: ['store', 'guard'] }),
    /two histories|lacks it/,
  ));

test('explorer: a witness that answers before it has written is caught', (t) =>
  isCaught(t, () => forking(1, 2, ['witness memory']), /the witness cosigned/));

test('explorer: a co-signer that is shown two finals of one period', (t) =>
  holds(t, () => cosigner(LONG ? 3 : 1, false)));

test('explorer: a co-signer that signs before it has written is caught', (t) =>
  isCaught(t, () => cosigner(1, true), /two signed prints/));
