import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { formatHex } from '@assay/core/bytes/hex';
import { formatTimestamp, type Item, type Timestamp } from '@assay/core/ots/timestamp';
import { assay, listen, scratch } from '../fixture/run.ts';
import { inWorld, readProof, stampWorld } from '../fixture/stamp-world.ts';

test('stamp: a file, what holds it, and what comes next', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  await writeFile(join(folder, 'thesis.pdf'), 'Hello');
  const { code, out, err } = await inWorld(world, folder, ['stamp', 'thesis.pdf', ...world.pool]);
  assert.deepEqual([code, err], [0, '']);
  const holders = out.split('\n').slice(1, 3);
  assert.deepEqual(holders.map((line) => line.trim().replace('held by      ', '')).sort(), [
    'ALICE',
    'BOB',
  ]);
  // What the command says comes next finds the calendars again, which are no public ones.
  const options = /thesis\.pdf\.ots( --attestor (?:ALICE|BOB)\s+--attestor (?:ALICE|BOB))\n/;
  assert.deepEqual(options.exec(out)?.[1]?.trim().split(/\s+/).sort(), [
    '--attestor',
    '--attestor',
    'ALICE',
    'BOB',
  ]);
  assert.equal(
    out.replace(options, 'thesis.pdf.ots OPTIONS\n').split('\n').toSpliced(1, 2).join('\n'),
    `STAMPED thesis.pdf.ots
  so far       a promise: these calendars say that they will put a hash of it into a Bitcoin
               block, which takes some hours
  tomorrow     assay ots upgrade thesis.pdf.ots OPTIONS
  then         it needs no calendar any more
  keep         thesis.pdf as it is, byte for byte, and thesis.pdf.ots with it
`,
  );
  const proof = await readProof(join(folder, 'thesis.pdf.ots'));
  assert.equal(proof.hash, 'sha256');
  assert.equal(formatHex(proof.digest), createHash('sha256').update('Hello').digest('hex'));
  assert.deepEqual(await readdir(folder), ['thesis.pdf', 'thesis.pdf.ots']);
});

test('stamp: a calendar sees one hash of all files, and the same file never the same one', async (t) => {
  const folder = await scratch(t);
  const seen: string[] = [];
  const calendar = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${Buffer.concat(parts).toString('hex')}`);
      response.writeHead(503).end();
    });
  });
  const url = await listen(t, calendar);
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder, name), 'same');
  const args = ['stamp', 'a', 'b', 'c', '--calendar', url, '--required', '1'];
  assert.equal((await assay(folder, args)).code, 3);
  assert.equal((await assay(folder, args)).code, 3);
  assert.equal(seen.length, 2);
  assert.notEqual(seen[0], seen[1]);
  const hash = createHash('sha256').update('same').digest('hex');
  for (const line of seen) {
    assert.match(line, /^POST \/digest [0-9a-f]{64}$/);
    assert.equal(line.includes(hash), false);
  }
});

test('stamp: several files in one batch, each complete by itself', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  const big = randomBytes(5_000_000);
  await writeFile(join(folder, 'big'), big);
  await writeFile(join(folder, 'empty'), '');
  await mkdir(join(folder, 'below'));
  await writeFile(join(folder, 'below', 'three words here'), 'x');
  const names = ['big', 'empty', 'below/three words here'];
  const stamped = await inWorld(world, folder, ['stamp', ...names, ...world.pool]);
  assert.deepEqual([stamped.code, stamped.err], [0, '']);
  assert.match(stamped.out, /^STAMPED big\.ots\nSTAMPED empty\.ots\nSTAMPED below\/three words/);
  const { digest } = await readProof(join(folder, 'big.ots'));
  assert.equal(formatHex(digest), createHash('sha256').update(big).digest('hex'));
  world.mine(8);
  const files = names.map((name) => `${name}.ots`);
  const upgraded = await inWorld(world, folder, ['ots', 'upgrade', ...files, ...world.attestors]);
  assert.equal(upgraded.code, 0, upgraded.out);
  for (const file of files) {
    const args = ['ots', 'verify', file, '--bitcoin-rpc', world.rpc, '--development'];
    assert.equal((await assay(folder, args)).code, 0);
  }
});

test('stamp never writes over a stamp, and asks nobody before it knows', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  await writeFile(join(folder, 'a'), 'a');
  await writeFile(join(folder, 'b'), 'b');
  await writeFile(join(folder, 'b.ots'), 'mine');
  const before = world.chain.tip.height;
  const { code, out, err } = await assay(folder, ['stamp', 'a', 'b', ...world.pool]);
  assert.deepEqual([code, out], [3, '']);
  assert.match(err, /^assay stamp: stamp at b\.ots: expected no file there \(--force/);
  assert.deepEqual(await readdir(folder), ['a', 'b', 'b.ots']);
  world.mine(1);
  assert.deepEqual(world.chain.block(before + 1)?.commitments, []);
  assert.equal((await assay(folder, ['stamp', 'a', 'b', '--force', ...world.pool])).code, 0);
  assert.equal((await readProof(join(folder, 'b.ots'))).hash, 'sha256');
});

test('stamp: with too few calendars nothing is written', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  const [alice] = world.calendars;
  await writeFile(join(folder, 'a'), 'a');
  const broken = await listen(
    t,
    createServer((_request, response) => response.writeHead(500).end('<html>')),
  );
  const moved = await listen(
    t,
    createServer((_request, response) => {
      response.writeHead(302, { location: `${alice}/digest` }).end();
    }),
  );
  const one = ['--calendar', alice, '--calendar', broken, '--calendar', moved];
  const few = await inWorld(world, folder, ['stamp', 'a', ...one]);
  assert.deepEqual([few.code, few.out], [3, '']);
  assert.match(few.err, /^assay stamp: only 1 calendar answered, 2 must hold a stamp: nothing is/);
  assert.match(few.err, /failed +http:\S+: calendar, found status 500/);
  assert.deepEqual(await readdir(folder), ['a']);
  const none = await assay(folder, ['stamp', 'a', '--calendar', broken, '--required', '1']);
  assert.match(none.err, /^assay stamp: no calendar answered, 1 must hold a stamp/);
  const enough = await inWorld(world, folder, ['stamp', 'a', ...one, '--required', '1']);
  assert.equal(enough.code, 0, enough.err);
  assert.match(enough.out, /\n {2}failed +http/);
});

test('stamp: one calendar at two addresses is one, and another name than its own is none', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  const [alice] = world.calendars;
  await writeFile(join(folder, 'a'), 'a');
  const mirror = await listen(
    t,
    createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        void fetch(`${alice}${request.url}`, { method: 'POST', body: Buffer.concat(parts) })
          .then((answer) => answer.arrayBuffer())
          .then((body) => response.end(Buffer.from(body)));
      });
    }),
  );
  const twice = await inWorld(world, folder, [
    'stamp',
    'a',
    '--calendar',
    alice,
    '--calendar',
    mirror,
  ]);
  assert.equal(twice.code, 3);
  assert.match(twice.err, /only 1 calendar answered/);
  // By itself it answers in a name that nobody allowed.
  const alone = ['stamp', 'a', '--calendar', mirror, '--required', '1'];
  const refused = await assay(folder, alone);
  assert.equal(refused.code, 3);
  assert.match(refused.err, /found a pending attestation by another calendar/);
  assert.deepEqual(await readdir(folder), ['a']);
  const allowed = await inWorld(world, folder, [...alone, '--attestor', alice]);
  assert.deepEqual([allowed.code, allowed.err], [0, '']);
  assert.match(allowed.out, /held by +ALICE\n/);
});

test('stamp: a calendar that keeps silent is not waited for', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  await writeFile(join(folder, 'a'), 'a');
  const silent = await listen(
    t,
    createServer(() => undefined),
  );
  const args = ['stamp', 'a', ...world.pool, '--calendar', silent, '--timeout', '1'];
  const { code, out } = await assay(folder, args);
  assert.equal(code, 0, out);
  assert.match(out, /failed +http:\S+: calendar: expected an answer within 1000 ms/);
});

/** A calendar that answers a digest with so many steps before its promise. */
async function deepCalendar(t: TestContext, steps: number, promises = 1): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const uri = `http://${request.headers.host}`;
      const items: Item[] = Array.from({ length: promises }, (_, i) => ({
        attestation: { kind: 'pending', uri: i === 0 ? uri : `${uri}/` },
      }));
      let timestamp: Timestamp = { items };
      for (let i = 0; i < steps; i += 1) {
        const next = timestamp;
        const fork: Item[] = promises > 2 ? items : [];
        timestamp = { items: [...fork, { operation: { op: 'sha256' }, next }] };
      }
      response.end(formatTimestamp(timestamp));
    });
  });
  return listen(t, server);
}

test("stamp: an answer that fits no proof is its calendar's failure, and the others hold", async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  await writeFile(join(folder, 'a'), 'a');
  for (const [steps, promises, why] of [
    [254, 1, /at most 255 nested operations/],
    [40, 3, /at most 64 attestations/],
  ] as const) {
    const greedy = await deepCalendar(t, steps, promises);
    const args = ['stamp', 'a', '--force', ...world.pool, '--calendar', greedy];
    const ran = await inWorld(world, folder, args);
    assert.deepEqual([ran.code, ran.err], [0, ''], `${steps} ${promises}`);
    const words = ran.out.replaceAll(/\s+/g, ' ');
    assert.match(words, /failed http:\S+: its answer does not fit: /);
    assert.match(words, why);
    const few = ['stamp', 'a', '--force', '--calendar', greedy, '--required', '1'];
    assert.equal((await assay(folder, few)).code, 3);
    const { code, out } = await assay(folder, ['ots', 'info', 'a.ots']);
    assert.equal(code, 0);
    assert.match(out, /holds +2 calendars' promises/);
  }
});

test('stamp: a stamp that cannot be written is found before a calendar is asked', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  const long = 'n'.repeat(250);
  await writeFile(join(folder, 'a'), 'a');
  await writeFile(join(folder, long), 'b');
  await writeFile(join(folder, 'c'), 'c');
  await mkdir(join(folder, 'c.ots'));
  const before = world.chain.tip.height;
  for (const [args, words] of [
    [['a', long], /ENAMETOOLONG/],
    [['a', 'c', '--force'], /c\.ots/],
  ] as const) {
    const { code, out, err } = await assay(folder, ['stamp', ...args, ...world.pool]);
    assert.deepEqual([code, out], [3, ''], err);
    assert.match(err, words);
  }
  assert.deepEqual(await readdir(folder), ['a', 'c', 'c.ots', long]);
  world.mine(1);
  assert.deepEqual(world.chain.block(before + 1)?.commitments, []);
});

test('stamp: a stamp that fails in the middle holds up no other', async (t) => {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder, name), name);
  // Whoever answers has the time to put something in the way.
  const rude = await listen(
    t,
    createServer((request, response) => {
      request.resume().on('end', () => {
        void writeFile(join(folder, 'b.ots'), 'mine').then(() => response.writeHead(500).end());
      });
    }),
  );
  const args = ['stamp', 'a', 'b', 'c', ...world.pool, '--calendar', rude];
  const { code, out, err } = await assay(folder, args);
  assert.equal(code, 3);
  assert.match(out, /^STAMPED a\.ots\nSTAMPED c\.ots\n/);
  assert.match(err, /^assay stamp: b\.ots is not written: stamp at b\.ots: expected no file there/);
  assert.equal(await readFile(join(folder, 'b.ots'), 'utf8'), 'mine');
  await readProof(join(folder, 'c.ots'));
});

test('stamp: what cannot be understood is exit 2', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'a'), 'a');
  await mkdir(join(folder, 'folder'));
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
  const two = ['--calendar', 'http://127.0.0.1:1', '--calendar', 'http://127.0.0.1:2'];
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /stamp: FILE is missing\n/],
    [['none', ...two], /none is no plain file/],
    [['folder', ...two], /folder is no plain file/],
    [['pipe', ...two], /pipe is no plain file/],
    [['/dev/zero', ...two], /\/dev\/zero is no plain file/],
    [['a', './a', ...two], /each file is stamped once/],
    [['a', ...two, '--required', '3'], /3 calendars cannot hold it: there are 2 to ask/],
    [['a', ...two, '--required', '0'], /--required is a whole number above 0/],
    [['a', ...two, '--timeout', '1.5'], /--timeout is a whole number above 0/],
    [['a', '--calendar', 'file:///etc'], /calendar: expected an address/],
    [['a', '--calendar', 'https://user:word@host'], /calendar: expected an address/],
  ];
  for (const [args, words] of cases) {
    const { code, out, err } = await assay(folder, ['stamp', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
  }
});
