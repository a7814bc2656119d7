import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ledger } from '@assay/node/ledger/ledger';
import type { SealedRow } from '@assay/node/ledger/store/store';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { logStages } from '@assay/node/scrub/log-stages';
import type { ScrubStage, ScrubStep } from '@assay/node/scrub/scrub-stage';
import { filledLedger, memoryPlace, NOON, openAt, type Place } from '../ledger/ledger-fixture.ts';

interface World {
  readonly place: Place;
  readonly damage: DamageLog;
  readonly ledger: Ledger;
  readonly stages: readonly ScrubStage[];
  readonly entries: Uint8Array[];
}

async function world(): Promise<World> {
  const place = await memoryPlace();
  await (await filledLedger(place, 600)).idle();
  const damage = new DamageLog(() => NOON);
  const ledger = await openAt(place, {
    onRepaired: ({ part, name }) => damage.note(part, name, 'repaired'),
  });
  const entries: Uint8Array[] = [];
  const onEntry = async (entry: Uint8Array): Promise<void> => void entries.push(entry);
  const stages = logStages({ log: ledger.stored, damage, copyOf: null, onEntry });
  return { place, damage, ledger, stages, entries };
}

async function stepsOf(stage: ScrubStage | undefined, place = ''): Promise<readonly ScrubStep[]> {
  const steps: ScrubStep[] = [];
  for await (const step of stage?.steps(place) ?? []) steps.push(step);
  return steps;
}

const found = (damage: DamageLog): readonly string[] =>
  damage.list.map(({ part, name, state }) => `${part} ${name} ${state}`);

test('log stages: the entries step by step, from any place, each given on', async () => {
  const { stages, entries, damage } = await world();
  const [first, second] = stages;
  assert.deepEqual([first?.name, second?.name], ['entries', 'rows']);
  const steps = await stepsOf(first);
  assert.deepEqual(
    steps.map(({ place }) => place),
    ['1', '2', '3'],
  );
  assert.deepEqual([steps[0]?.share.toFixed(3), steps.at(-1)?.share], ['0.426', 1]);
  assert.equal(entries.length, 601);
  entries.length = 0;
  assert.equal((await stepsOf(first, '2')).length, 1);
  assert.equal(entries.length, 601 - 512);
  assert.equal((await stepsOf(second)).at(-1)?.share, 1);
  assert.deepEqual(found(damage), []);
});

test('log stages: what is damaged is noted, and is whole when it is found whole', async () => {
  const { stages, place, damage } = await world();
  const bytes = (await place.store.entry(300)) as Uint8Array;
  const tile = (await place.store.tile(0, 0)) as Uint8Array;
  const none = { entries: [], tiles: [], views: [], head: null };
  await place.store.commit({
    ...none,
    entries: [{ seq: 300, bytes: bytes.with(20, (bytes[20] as number) ^ 8) }],
    tiles: [{ level: 0, index: 0, bytes: tile.with(0, (tile[0] as number) ^ 8) }],
  });
  await stepsOf(stages[0]);
  assert.deepEqual(found(damage), ['tile 0/0 repaired', 'entry 300 damaged']);
  await place.store.commit({ ...none, entries: [{ seq: 300, bytes }] });
  await stepsOf(stages[0]);
  assert.deepEqual(found(damage), ['tile 0/0 repaired']);
});

test('log stages: rows that were derived again are reported as repaired; those that could not be as damaged', async () => {
  const { stages, place, damage, ledger } = await world();
  const rot = async (): Promise<void> => {
    for await (const row of place.store.views()) {
      const bad: SealedRow = { ...row, value: Buffer.from('{"other":1}') };
      await place.store.commit({ entries: [], tiles: [], views: [bad], head: null });
      return;
    }
  };
  await rot();
  await stepsOf(stages[1]);
  assert.deepEqual(found(damage), ['row all repaired']);
  await rot();
  const bytes = (await place.store.entry(1)) as Uint8Array;
  const entries = [{ seq: 1, bytes: bytes.with(20, 0) }];
  await place.store.commit({ entries, tiles: [], views: [], head: null });
  await assert.rejects(ledger.entry(1), { code: 'ledger_corrupt' });
  await stepsOf(stages[1]);
  const [row] = damage.openList;
  assert.equal(row?.part, 'row');
  assert.equal(damage.openList.length, 1);
});
