import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskWatch } from '@assay/node/recounter/disk-watch';
import { Disk, recounterOn, TestPublisher } from './recounter-world.ts';

test('disk watch: once an hour, and a failure keeps what was measured', async () => {
  let now = 1000;
  let measured = 0;
  const failures: unknown[] = [];
  const watch = new DiskWatch({
    measure: async () => {
      measured += 1;
      if (measured === 2) throw new Error('EIO');
      return { own: measured, publisher: 0, peers: 0, free: 2 ** 30 - measured };
    },
    now: () => now,
    onFailed: (error) => failures.push(error),
  });
  assert.deepEqual([watch.use, watch.concern], [undefined, undefined]);
  for (const at of [1000, 4599, 4600, 8199]) {
    now = at;
    await watch.poll();
  }
  assert.deepEqual([measured, failures.length, watch.use?.own], [2, 1, 1]);
  assert.equal(
    watch.concern,
    'The disk has 1073 MB left: what is read and copied is stored, and grows.',
  );
  now = 8200;
  await watch.poll();
  assert.equal(watch.use?.own, 3);
});

test('disk watch: /status says what there is, and when it runs out', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  for (const [free, status] of [
    [2 ** 30, 'ok'],
    [2 ** 30 - 1, 'degraded'],
  ] as const) {
    const disk = await Disk.make();
    disk.free = free;
    const { running } = await recounterOn(disk, publisher, { pollMs: 60_000 });
    await running.follow();
    const response = await fetch(`http://127.0.0.1:${running.port}/status`);
    const said = (await response.json()) as Record<string, unknown>;
    const own = { own_bytes: 1, publisher_bytes: 2, peers_bytes: 3, free_bytes: free };
    assert.deepEqual([said['status'], said['disk']], [status, own]);
    await running.close();
  }
});
