import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { probeWrites, WriteWatch } from '@assay/node/health/write-watch';
import {
  filledLedger,
  memoryPlace,
  naiveRoot,
  note,
  setHead,
  temporaryFolder,
  turns,
} from '../ledger/ledger-fixture.ts';

const FULL = Object.assign(new Error('disk'), { code: 'ENOSPC' });

async function watched() {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 1);
  const world = { shortage: undefined as Fault | undefined, probes: 0, full: false };
  const events: string[] = [];
  const watch = new WriteWatch(
    {
      ledger,
      room: {
        measure: () => Promise.resolve(),
        get shortage() {
          return world.shortage;
        },
      },
      probe: () => {
        world.probes += 1;
        return world.full ? Promise.reject(FULL) : Promise.resolve();
      },
      everyMs: 0,
    },
    {
      onResumed: () => events.push('resumed'),
      onResumeFailed: (error) => events.push((error as Fault).code),
    },
  );
  return { place, ledger, world, events, watch };
}

test('write watch: too little room holds the log, and room lets it go', async () => {
  const { ledger, world, watch } = await watched();
  await watch.check();
  assert.equal(ledger.blocked, undefined);
  world.shortage = new Fault('no_room', 'disk');
  await watch.check();
  assert.equal(ledger.blocked, world.shortage);
  world.shortage = undefined;
  await watch.check();
  assert.equal(ledger.blocked, undefined);
  assert.equal(world.probes, 0, 'nothing is written where nothing has failed');
});

test('write watch: after a write that failed the log goes on once the disk takes writes', async () => {
  const { place, ledger, world, events, watch } = await watched();
  place.store.fail = 'failed, but on disk';
  place.store.failure = FULL;
  await assert.rejects(
    ledger.write(() => [note('x')]),
    { code: 'no_room' },
  );
  place.store.fail = undefined;
  world.shortage = new Fault('no_room', 'disk');
  await watch.check();
  assert.deepEqual([world.probes, ledger.nextSeq, ledger.blocked?.code], [0, 3, 'no_room']);
  world.shortage = undefined;
  world.full = true;
  await watch.check();
  assert.deepEqual([world.probes, events, ledger.stopped?.code], [1, [], 'no_room']);
  world.full = false;
  await Promise.all([watch.check(), watch.check()]);
  assert.deepEqual([world.probes, events], [2, ['resumed']]);
  assert.deepEqual([ledger.blocked, ledger.published?.size], [undefined, 3]);
});

test('write watch: what the disk is not to blame for stays as it is', async () => {
  const { place, ledger, world, events, watch } = await watched();
  place.store.fail = 'failed';
  await assert.rejects(
    ledger.write(() => [note('x')]),
    { code: 'stopped' },
  );
  place.store.fail = undefined;
  await watch.check();
  assert.deepEqual([world.probes, events, ledger.blocked?.code], [0, [], 'stopped']);
});

test('write watch: a comparison that fails is reported, and leaves the log stopped', async () => {
  const { place, ledger, events, watch } = await watched();
  place.guard.fail = 'failed';
  place.guard.failure = FULL;
  await assert.rejects(
    ledger.write(() => [note('x')]),
    { code: 'no_room' },
  );
  await watch.check();
  assert.deepEqual([events, ledger.blocked?.code], [['no_room'], 'no_room']);
  place.guard.fail = undefined;
  setHead(place.guard, { size: 1, root: naiveRoot([]) });
  await watch.check();
  assert.equal(ledger.blocked?.code === undefined, false);
  assert.equal(events.includes('resumed'), false);
});

test('write watch: it compares again and again until it is stopped, and what follows a comparison is waited for', async () => {
  const { watch } = await watched();
  const looks: number[] = [];
  await new Promise<void>((resolve) => {
    watch.start(async () => {
      await turns(1);
      looks.push(looks.length);
      if (looks.length === 3) resolve();
    });
  });
  await watch.stop();
  const ended = looks.length;
  await turns(20);
  assert.equal(looks.length, ended);
  watch.start();
});

test('write probe: it leaves nothing behind, and fails where nothing can be written', async (t) => {
  const folder = await temporaryFolder(t);
  await probeWrites(folder);
  assert.deepEqual(await readdir(folder), []);
  await assert.rejects(probeWrites(join(folder, 'nowhere')), { code: 'ENOENT' });
});
