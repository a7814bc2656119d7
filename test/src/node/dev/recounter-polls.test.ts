import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecounterPolls } from '@assay/node/dev/recounter-polls';
import { Gate, turns } from '../ledger/ledger-fixture.ts';

interface World {
  readonly looks: RecounterPolls;
  readonly gate: Gate;
  readonly seen: { looks: number; held: number };
}

function world(): World {
  const gate = new Gate();
  const seen = { looks: 0, held: 0 };
  const looks = new RecounterPolls({
    follow: async () => {
      await gate.pass();
      seen.looks += 1;
    },
    hold: () => {
      seen.held += 1;
      return () => {
        seen.held -= 1;
      };
    },
    everyMs: 600_000,
  });
  return { looks, gate, seen };
}

const REPORT = new Set(['reports/LAYOFFS/2026-07-25']);

test('recounter polls: a report is recounted once, and the clock does not move until it has been', async () => {
  const { looks, gate, seen } = world();
  looks.changed(REPORT);
  assert.equal(seen.held, 0, 'nobody looks yet');
  looks.start();
  looks.start();
  await turns(5);
  assert.equal(seen.looks, 1, 'the next look would come in ten minutes');
  looks.changed(new Set(['cosigns/ab']));
  await turns(5);
  assert.deepEqual(seen, { looks: 1, held: 0 });
  gate.shut();
  looks.changed(REPORT);
  assert.equal(seen.held, 1);
  await turns(5);
  // Its look may have begun before the next report: another one follows.
  looks.changed(REPORT);
  looks.changed(REPORT);
  assert.equal(seen.held, 2);
  gate.open();
  await turns(10);
  assert.deepEqual(seen, { looks: 3, held: 0 });
  await looks.stop();
});

test('recounter polls: a stop releases the clock, and waits for the poll under way', async () => {
  const { looks, gate, seen } = world();
  looks.start();
  await turns(5);
  gate.shut();
  looks.changed(REPORT);
  await turns(5);
  looks.changed(REPORT);
  let stopped = false;
  const stop = looks.stop().then(() => {
    stopped = true;
  });
  await turns(5);
  assert.equal(stopped, false);
  assert.equal(seen.held, 1, 'the one of the look under way');
  gate.open();
  await stop;
  assert.deepEqual(seen, { looks: 2, held: 0 });
  looks.changed(REPORT);
  assert.equal(seen.held, 0);
});
