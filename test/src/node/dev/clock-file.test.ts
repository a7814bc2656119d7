import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClockFile, machineMs, readClockFile } from '@assay/node/dev/clock-file';
import { DevelopmentClock } from '@assay/node/dev/development-clock';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

test('clock file: a reader has the time of the writer, whatever becomes of its clock', async (t) => {
  const path = join(await temporaryFolder(t), 'clock');
  let ms = 1_000_000.25;
  const file = new ClockFile(path);
  t.after(() => file.close());
  const clock = new DevelopmentClock(1000, 30_240, () => ms, file.write);
  const now = readClockFile(path, () => ms);
  const both = (): number => {
    assert.equal(now(), clock.now());
    return now();
  };
  assert.equal(both(), 1000);
  clock.advanceTo(5000);
  assert.equal(both(), 5000);
  clock.run();
  ms += 7.5;
  assert.equal(both(), 5226);
  const [first, second] = [clock.hold(), clock.hold()];
  ms += 1000;
  assert.equal(both(), 5226);
  first();
  assert.equal(both(), 5226);
  second();
  ms += 1;
  assert.equal(both(), 5257);
  clock.allowUntil(6000);
  ms += 1000;
  assert.equal(both(), 6000);
});

test('clock file: a clock that goes on when its file is closed writes nowhere', async (t) => {
  const folder = await temporaryFolder(t);
  const file = new ClockFile(join(folder, 'clock'));
  const clock = new DevelopmentClock(1000, 30_240, () => 0, file.write);
  file.close();
  // The next file that is opened gets the number of the one that was closed.
  const other = await open(join(folder, 'other'), 'w');
  clock.advanceTo(5000);
  clock.run();
  clock.hold()();
  file.close();
  assert.equal((await other.stat()).size, 0);
  await other.close();
});

test('clock file: processes of a machine count the same milliseconds', () => {
  const before = machineMs();
  const after = Number(process.hrtime.bigint()) / 1e6;
  assert.ok(before <= after && after - before < 60_000);
});
