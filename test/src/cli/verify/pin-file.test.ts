import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fsPromises, { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHashHex } from '@assay/core/hash/hash';
import { defaultPinPath, pinFile } from '@assay/cli/verify/pin-file';
import { formatPin, type Pin } from '@assay/verifier/verdict/policy';
import { scratch } from '../fixture/run.ts';

const HASH = toHashHex('ab'.repeat(32));

function pin(origin: string, size: number, change: Partial<Pin> = {}): Pin {
  return {
    type: 'assay-pin/1',
    origin,
    checkpoint_vkey: `${origin}+00000000+AA==`,
    log_id: HASH,
    size,
    root: HASH,
    ...change,
  };
}

const A = 'a.example/log';
const B = 'b.example/log';

test('pins are under the state folder of whoever asks', () => {
  assert.equal(defaultPinPath({ XDG_STATE_HOME: '/s' }), '/s/assay/pins.json');
  assert.match(defaultPinPath({ XDG_STATE_HOME: '' }), /\.local\/state\/assay\/pins\.json$/);
});

test('a pin is found by its origin again, and never goes back', async (t) => {
  const path = join(await scratch(t), 'deep', 'pins.json');
  const pins = pinFile(path, undefined);
  assert.equal(await pins.lookup(A), undefined);
  await pins.remember(pin(A, 10));
  await pins.remember(pin(B, 3));
  await pins.remember(pin(A, 7));
  assert.deepEqual(await pins.lookup(A), pin(A, 10));
  await pins.remember(pin(A, 12));
  assert.deepEqual(await pinFile(path, undefined).lookup(A), pin(A, 12));
  assert.deepEqual(await pins.lookup(B), pin(B, 3));
  assert.deepEqual(await readdir(join(path, '..')), ['pins.json']);
});

test('a production log is bound to the address that it was seen at', async (t) => {
  const path = join(await scratch(t), 'pins.json');
  const here = pinFile(path, 'https://a.example');
  await here.remember(pin(A, 10));
  // Another origin at this address is held to the log that was here, also by a mirror's visitor.
  assert.deepEqual(await here.lookup('evil.example/log'), pin(A, 10));
  assert.equal(await pinFile(path, 'https://other.example').lookup('evil.example/log'), undefined);
  // Whoever names a key has moved on knowingly.
  assert.equal(await pinFile(path, 'https://a.example', false).lookup(B), undefined);
  await pinFile(path, 'https://a.example', false).remember(pin(B, 1));
  assert.deepEqual(await here.lookup(A), pin(B, 1));
});

test('development logs come and go at one address', async (t) => {
  const path = join(await scratch(t), 'pins.json');
  const here = pinFile(path, 'http://127.0.0.1:8787');
  await here.remember(pin('development/one', 10));
  assert.equal(await here.lookup('development/two'), undefined);
  assert.deepEqual(await here.lookup('development/one'), pin('development/one', 10));
});

test('replays share a name and a key: none is held to another', async (t) => {
  const path = join(await scratch(t), 'pins.json');
  const pins = pinFile(path, undefined);
  await pins.remember(pin('development/replay', 10));
  assert.equal(await pins.lookup('development/replay'), undefined);
  await writeFile(
    path,
    `[{"pin":${Buffer.from(formatPin(pin('development/replay', 10))).toString()},"seen_at":[]}]`,
  );
  assert.equal(await pins.lookup('development/replay'), undefined);
});

test('many visits at once lose no pin', async (t) => {
  const path = join(await scratch(t), 'pins.json');
  const origins = Array.from({ length: 20 }, (_, i) => `log${i}.example/x`);
  await Promise.all(origins.map((origin) => pinFile(path, undefined).remember(pin(origin, 1))));
  for (const origin of origins) {
    assert.deepEqual(await pinFile(path, undefined).lookup(origin), pin(origin, 1));
  }
});

test('the lock of a visit that was killed is taken over', async (t) => {
  const path = join(await scratch(t), 'pins.json');
  await mkdir(`${path}.lock`);
  const long = new Date(Date.now() - 3_600_000);
  await utimes(`${path}.lock`, long, long);
  await pinFile(path, undefined).remember(pin(A, 1));
  assert.deepEqual(await pinFile(path, undefined).lookup(A), pin(A, 1));
});

test('of two visits that find a lock that was left behind, one has it at a time', async (t) => {
  for (const leave of [leftEmpty, leftByOther]) {
    const path = join(await scratch(t), 'pins.json');
    await leave(`${path}.lock`);
    const { readFile: read, rename: move, rmdir: take, unlink: remove } = fsPromises;
    let reads = 0;
    let takes = 0;
    // The first visit does not write before the second has read, unless that waits for its turn; and the second does
    // not take the lock away before the first has it.
    const soon = async (is: () => boolean): Promise<void> => {
      for (let i = 0; i < 40 && !is(); i += 1) await sleep(5);
    };
    const late = <T>(work: (at: string) => Promise<T>) =>
      (async (at: string) => {
        if (at.includes('.lock') && (takes += 1) === 2) await soon(() => reads > 0);
        return work(at);
      }) as never;
    fsPromises.readFile = (async (...args: Parameters<typeof read>) => {
      if (args[0] === path) reads += 1;
      return read(...args);
    }) as never;
    fsPromises.rename = async (from, to) => {
      if (to === path && reads === 1) await soon(() => reads > 1);
      await move(from, to);
    };
    fsPromises.rmdir = late(take as (at: string) => Promise<void>);
    fsPromises.unlink = late(remove as (at: string) => Promise<void>);
    syncBuiltinESMExports();
    try {
      await Promise.all([
        pinFile(path, undefined).remember(pin(A, 1)),
        pinFile(path, undefined).remember(pin(B, 2)),
      ]);
    } finally {
      Object.assign(fsPromises, { readFile: read, rename: move, rmdir: take, unlink: remove });
      syncBuiltinESMExports();
    }
    assert.deepEqual(await pinFile(path, undefined).lookup(A), pin(A, 1), leave.name);
    assert.deepEqual(await pinFile(path, undefined).lookup(B), pin(B, 2), leave.name);
    assert.deepEqual(await readdir(join(path, '..')), ['pins.json']);
  }
});

/** A lock without a holder's name, of an hour ago. */
async function leftEmpty(lock: string): Promise<void> {
  await mkdir(lock);
  const long = new Date(Date.now() - 3_600_000);
  await utimes(lock, long, long);
}

/** The lock of a process that is gone. */
async function leftByOther(lock: string): Promise<void> {
  const code = `import(${JSON.stringify(import.meta.resolve('@assay/cli/process/process-lock'))})
    .then(({ takeLock }) => takeLock(${JSON.stringify(lock)}))
    .then(() => process.kill(process.pid, 'SIGKILL'))`;
  await new Promise((resolve) => spawn(process.execPath, ['-e', code]).on('exit', resolve));
}

test('a file that cannot be read is never "no pins"', async (t) => {
  const path = join(await scratch(t), 'pins.json');
  await pinFile(path, undefined).remember(pin(A, 1));
  const text = await readFile(path, 'utf8');
  for (const broken of [
    '',
    '{}',
    'null',
    '[null]',
    '[[]]',
    text.slice(0, -5),
    text.replace('"size":1', '"size":0'),
    text.replace('"seen_at"', '"seenat"'),
    text.replace('"seen_at":[]', '"seen_at":[1]'),
    text.replace('{"pin"', '{"more":1,"pin"'),
  ]) {
    await writeFile(path, broken);
    await assert.rejects(pinFile(path, undefined).lookup(A), { code: 'malformed' }, broken);
    await assert.rejects(pinFile(path, undefined).remember(pin(A, 2)), { code: 'malformed' });
    assert.equal(await readFile(path, 'utf8'), broken);
  }
  await writeFile(path, text);
  await assert.rejects(pinFile(join(path, 'below'), undefined).lookup(A));
});
