import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCosignature } from '@assay/core/log/cosignature';
import { type Entry, formatEntry, parseEntry } from '@assay/core/log/entry';
import { formatEvidence } from '@assay/core/proof/evidence';
import { contentHash, hashHex, type HashHex, leafHash, toHashHex } from '@assay/core/hash/hash';
import {
  formatNoteKey,
  NOTE_COSIGNATURE,
  type NoteKey,
  type NoteSignature,
  parseNote,
} from '@assay/core/log/note';
import { formatTime } from '@assay/core/time/time';
import { tilesOf } from '@assay/core/log/tile';
import type { Ledger } from '@assay/node/ledger/ledger';
import type { LogRecord } from '@assay/node/ledger/record';
import type { LogMirror } from '@assay/node/mirror/log-mirror';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { PORTABLE } from '@assay/verifier/verdict/environment';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { contents, genesisBody, memoryPlace, NOON, openAt } from '../ledger/ledger-fixture.ts';
import {
  forkOf,
  grow,
  logOf,
  mirrorPlace,
  openMirror,
  type Server,
  serverOf,
  signedLog,
  taken,
  testWitness,
  withLines,
} from './mirror-fixture.ts';

const ROUND = [1, 2, 255, 256, 257, 600];

/** Every tile, entry and the head of the copy are those of the log. */
async function requireSame(mirror: LogMirror, log: Ledger): Promise<void> {
  const { published } = log;
  assert.ok(published !== undefined);
  assert.deepEqual(mirror.published, published);
  for (const tile of tilesOf(published.size)) {
    assert.deepEqual(await mirror.tile(tile), await log.tile(tile), JSON.stringify(tile));
  }
  for (let seq = 0; seq < published.size; seq += 97) {
    assert.deepEqual(await mirror.entry(seq), await log.entry(seq));
  }
  assert.equal(mirror.log, log.log);
  assert.deepEqual(mirror.views.get('log', 'genesis'), log.shown.get('log', 'genesis'));
}

for (const size of ROUND) {
  test(`log mirror: a log of ${size} entries is copied whole`, async () => {
    const log = await logOf(size - 1);
    const mirror = await openMirror(await mirrorPlace(), serverOf(log));
    assert.deepEqual(await mirror.follow(), { kind: 'followed', size, grew: size });
    await requireSame(mirror, log);
    assert.equal(await mirror.entry(size), undefined);
    assert.equal(await mirror.tile({ level: 'entries', index: 3, width: 1 }), undefined);
  });
}

test('log mirror: it follows a growing log with the newest bundle and the edge of the tree', async () => {
  const log = await logOf(599);
  const server = serverOf(log);
  const mirror = await openMirror(await mirrorPlace(), server);
  await mirror.follow();
  assert.deepEqual(taken(server).toSorted(), [
    '/checkpoint',
    '/tile/0/002.p/88',
    '/tile/1/000.p/2',
    '/tile/entries/000',
    '/tile/entries/001',
    '/tile/entries/002.p/88',
  ]);
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 600, grew: 0 });
  assert.deepEqual(taken(server), ['/checkpoint']);
  await grow(log, 3);
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 603, grew: 3 });
  assert.deepEqual(taken(server).toSorted(), [
    '/checkpoint',
    '/tile/0/002.p/91',
    '/tile/1/000.p/2',
    '/tile/entries/002.p/91',
  ]);
  await grow(log, 400);
  await mirror.follow();
  await requireSame(mirror, log);
});

test('log mirror: a log of 10,000 entries costs a request a bundle, and few more', async () => {
  const log = await logOf(9_999);
  const server = serverOf(log);
  const mirror = await openMirror(await mirrorPlace(), server);
  await mirror.follow();
  assert.equal(taken(server).length, 1 + 2 + 40);
  await grow(log, 1);
  await mirror.follow();
  assert.equal(taken(server).length, 1 + 2 + 1);
  await requireSame(mirror, log);
});

/** The entries of a log from `start` on. */
async function entriesFrom(log: Ledger, start: number): Promise<readonly Uint8Array[]> {
  const found: Uint8Array[] = [];
  for await (const entry of log.entries(start, log.published?.size ?? 0)) found.push(entry);
  return found;
}

test('log mirror: a head with the entries up to it is taken without a request, and shown at once', async () => {
  const log = await logOf(299);
  const server = serverOf(log);
  const held: [number, readonly string[]][] = [];
  const mirror = await openMirror(await mirrorPlace(), server, {
    onHeld: ({ size }, tables) => void held.push([size, tables === 'all' ? ['all'] : [...tables]]),
  });
  const note = (): Uint8Array => log.published?.note as Uint8Array;
  assert.equal(
    await mirror.take(note(), 0, await entriesFrom(log, 0)),
    false,
    'nothing is accepted',
  );
  await mirror.follow();
  taken(server);
  await grow(log, 230);
  assert.equal(await mirror.take(note(), 300, await entriesFrom(log, 300)), true);
  await requireSame(mirror, log);
  assert.equal(await mirror.take(note(), 530, []), true, 'the same head again');
  const copied: Uint8Array[] = [];
  for await (const entry of mirror.entries(500, 999)) copied.push(entry);
  assert.deepEqual(copied, await entriesFrom(log, 500));
  assert.deepEqual(taken(server), []);
  assert.deepEqual(
    held.map(([size]) => size),
    [300, 530, 530],
  );
  // The first head shows all that there is, and notes leave no rows.
  assert.deepEqual(
    held.map(([, tables]) => tables.includes('all')),
    [true, false, false],
  );
});

test('log mirror: what does not continue what is held, or does not fit the head, is not taken', async () => {
  const log = await logOf(9);
  const mirror = await openMirror(await mirrorPlace(), serverOf(log));
  await mirror.follow();
  await grow(log, 3);
  const note = log.published?.note as Uint8Array;
  const entries = await entriesFrom(log, 10);
  assert.equal(await mirror.take(note, 9, await entriesFrom(log, 9)), false, 'one too many');
  assert.equal(await mirror.take(note, 10, entries.slice(1)), false, 'one is missing');
  const [first, ...rest] = entries as [Uint8Array, ...Uint8Array[]];
  const changed = Uint8Array.from(first);
  changed[changed.length - 4] = (changed.at(-4) ?? 0) ^ 1;
  assert.equal(await mirror.take(note, 10, [changed, ...rest]), false, 'another byte');
  const other = await forkOf(13, 5);
  const fork = other.published?.note as Uint8Array;
  assert.equal(await mirror.take(fork, 10, await entriesFrom(other, 10)), false, 'two histories');
  await assert.rejects(mirror.take(note.slice(0, -20), 10, entries), { name: 'Fault' });
  assert.equal(mirror.size, 10);
  assert.equal(await mirror.take(note, 10, entries), true);
  await requireSame(mirror, log);
});

test('log mirror: two polls at once are one', async () => {
  const log = await logOf(10);
  const server = serverOf(log);
  const mirror = await openMirror(await mirrorPlace(), server);
  const [first, second] = await Promise.all([mirror.follow(), mirror.follow()]);
  assert.equal(first, second);
  assert.equal(taken(server).filter((path) => path === '/checkpoint').length, 1);
});

test('log mirror: killed at any write, it goes on where it was and its head never goes back', async () => {
  const log = await logOf(899);
  for (let writes = 1; ; writes += 1) {
    for (const when of ['failed', 'failed, but on disk'] as const) {
      const place = await mirrorPlace();
      const server = serverOf(log);
      const first = await openMirror(place, server, { batchEntries: 256 });
      let left = writes;
      for (const part of ['store', 'accepted'] as const) {
        place[part].gate.pass = async () => {
          left -= 1;
          if (left === 0) place[part].fail = when;
        };
      }
      const outcome = await first.follow().catch((error: unknown) => error);
      if (left > 0) {
        assert.ok(writes > 4);
        return;
      }
      assert.ok(outcome instanceof Error);
      for (const part of ['store', 'accepted'] as const) {
        place[part].fail = undefined;
        place[part].gate.pass = () => Promise.resolve();
      }
      const seen = await place.accepted.read();
      taken(server);
      const again = await openMirror(place, server, { batchEntries: 256 });
      assert.equal(again.size === 0 || again.size === 900, true);
      const stored = (await contents(place.store)).filter((row) => row.startsWith('entry ')).length;
      await again.follow();
      await requireSame(again, log);
      const held = taken(server).filter((path) => /entries\/(\d+)$/.test(path));
      for (const path of held) assert.ok(Number(path.slice(-3)) >= Math.floor(stored / 256), path);
      if (seen !== undefined) assert.deepEqual(await place.accepted.read(), seen);
    }
  }
});

test('log mirror: what was shown before a kill is shown after it', async () => {
  const log = await logOf(299);
  const place = await mirrorPlace();
  const first = await openMirror(place, serverOf(log), { batchEntries: 256 });
  await first.follow();
  const before = first.published;
  await grow(log, 900);
  place.store.gate.pass = async () => {
    if (place.store.commits.length === 3) place.store.fail = 'failed';
  };
  await assert.rejects(first.follow(), { code: 'stopped' });
  await assert.rejects(first.follow(), { code: 'stopped' });
  assert.deepEqual(first.published, before);
  assert.equal(first.blocked?.code, 'stopped');
  place.store.fail = undefined;
  place.store.gate.pass = () => Promise.resolve();
  const again = await openMirror(place, serverOf(log), { batchEntries: 256 });
  assert.deepEqual(again.published, before);
  for (const tile of tilesOf(300)) assert.ok((await again.tile(tile)) !== undefined);
  await again.follow();
  await requireSame(again, log);
});

interface Lie {
  readonly name: string;
  readonly code: string;
  readonly tamper: Server['tamper'];
}

const flip = (at: number) => (body: Uint8Array) =>
  body.map((byte, i) => (i === at ? byte ^ 1 : byte));

const on =
  (pattern: RegExp, change: (body: Uint8Array) => Uint8Array | undefined): Server['tamper'] =>
  (path, body) =>
    pattern.test(path) ? change(body) : body;

const LIES: readonly Lie[] = [
  { name: 'a byte of an entry', code: 'bad_proof', tamper: on(/entries\/000$/, flip(200)) },
  { name: 'a byte of a newest entry', code: 'bad_proof', tamper: on(/entries\/001/, flip(200)) },
  { name: 'a bundle cut short', code: 'bad_length', tamper: on(/entries/, (b) => b.slice(0, -1)) },
  { name: 'a hash of the edge', code: 'bad_proof', tamper: on(/tile\/0\//, flip(5)) },
  { name: 'a hash above', code: 'bad_proof', tamper: on(/tile\/1\//, flip(5)) },
  { name: 'a tile cut short', code: 'bad_length', tamper: on(/tile\/0\//, (b) => b.slice(32)) },
  { name: 'no tile', code: 'unreachable', tamper: on(/tile\/0\//, () => undefined) },
  { name: 'no bundle', code: 'unreachable', tamper: on(/entries/, () => undefined) },
  { name: 'no checkpoint', code: 'unreachable', tamper: on(/checkpoint/, () => undefined) },
  { name: 'a root', code: 'bad_note', tamper: on(/checkpoint/, flip(40)) },
  { name: 'no note', code: 'bad_note', tamper: on(/checkpoint/, () => new Uint8Array(9)) },
];

for (const { name, code, tamper } of LIES) {
  test(`log mirror: a lie is refused and nothing of it kept: ${name}`, async () => {
    const place = await mirrorPlace();
    const server = serverOf(await logOf(299));
    const mirror = await openMirror(place, server, { batchEntries: 1 });
    server.tamper = tamper;
    await assert.rejects(mirror.follow(), { name: 'Fault', code });
    const kept = await contents(place.store);
    server.tamper = (_, body) => body;
    await mirror.follow();
    const whole = new Set(await contents(place.store));
    // What came before the lie may be here: it stood under the head.
    for (const row of kept.filter((each) => each.startsWith('entry '))) assert.ok(whole.has(row));
    assert.equal(mirror.size, 300);
  });
}

test('log mirror: the newest head of another key, and of another origin, are refused', async () => {
  const log = await logOf(3);
  const server = serverOf(log);
  const mirror = await openMirror(await mirrorPlace(), server);
  const text = new TextDecoder().decode(log.published?.note);
  for (const change of [
    text.replace('development/ledger-test\n4', 'development/ledger-test\n5'),
    text.replaceAll('ledger-test', 'ledger-tesu'),
    text.replace(/\n— .*\n/, '\n'),
  ]) {
    server.tamper = on(/checkpoint/, () => new TextEncoder().encode(change));
    await assert.rejects(mirror.follow(), { code: 'bad_note' });
  }
});

test('log mirror: a log id that is pinned is held to', async () => {
  const log = await logOf(3);
  const other = toHashHex('ab'.repeat(32));
  const place = await mirrorPlace();
  const mirror = await openMirror(place, serverOf(log), { logId: other });
  await assert.rejects(mirror.follow(), { code: 'ledger_differs' });
  assert.deepEqual(await contents(place.store), []);
  assert.equal(await place.accepted.read(), undefined);
  const free = await openMirror(place, serverOf(log));
  await free.follow();
  assert.equal(free.log, hashHex(leafHash(nodeSha256, (await log.entry(0)) as Uint8Array)));
  await assert.rejects(openMirror(place, serverOf(log), { logId: other }), {
    code: 'ledger_differs',
  });
});

test('log mirror: an older head is reported, and changes nothing', async () => {
  const log = await logOf(9);
  const old = log.published;
  await grow(log, 5);
  const server = serverOf(log);
  const mirror = await openMirror(await mirrorPlace(), server);
  await mirror.follow();
  server.record = { published: old, tile: (tile) => log.tile(tile) };
  assert.deepEqual(await mirror.follow(), { kind: 'behind', size: 15, grew: 0, head: 10 });
  server.record = log;
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 15, grew: 0 });
});

for (const [name, size, from] of [
  ['of the same size', 300, 299],
  ['that is larger', 700, 120],
  ['that is larger by a whole tile', 512, 256],
  ['that is smaller', 200, 64],
] as const) {
  test(`log mirror: a fork ${name} is proven, and nothing more is followed`, async () => {
    const log = await logOf(299);
    const place = await mirrorPlace();
    const server = serverOf(log);
    const mirror = await openMirror(place, server);
    await mirror.follow();
    const before = mirror.published;
    server.record = await forkOf(size, from);
    const found = await mirror.follow();
    assert.equal(found.kind, 'forked');
    assert.equal(place.forks.length, 1);
    const [evidence] = place.forks;
    assert.ok(evidence !== undefined);
    assert.equal(evidence.consistency === null, size === 300);
    const verdict = await checkEvidence(formatEvidence(evidence), PORTABLE);
    assert.deepEqual([verdict.proven, verdict.faults], [true, []]);
    assert.equal(verdict.log, log.log);
    taken(server);
    await grow(log, 3);
    server.record = log;
    assert.equal((await mirror.follow()).kind, 'forked');
    assert.deepEqual(taken(server), []);
    assert.deepEqual(mirror.published, before);
    assert.equal(mirror.blocked?.code, 'ledger_differs');
    const again = await openMirror(place, server);
    assert.deepEqual(again.fork, evidence);
    assert.deepEqual(again.published, before);
  });
}

test('log mirror: a head that was seen and never served is held against the next', async () => {
  const log = await logOf(99);
  const place = await mirrorPlace();
  const server = serverOf(log);
  const mirror = await openMirror(place, server);
  await mirror.follow();
  await grow(log, 100);
  server.tamper = on(/entries/, () => undefined);
  await assert.rejects(mirror.follow(), { code: 'unreachable' });
  const again = await openMirror(place, server);
  assert.equal(again.size, 100);
  server.tamper = (_, body) => body;
  server.record = await forkOf(250, 100);
  assert.equal((await again.follow()).kind, 'forked');
});

test('log mirror: another accepted head than the store is of is refused', async () => {
  const log = await logOf(9);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(log))).follow();
  const other = await mirrorPlace();
  await (await openMirror(other, serverOf(await forkOf(10, 9)))).follow();
  const mixed = { ...place, accepted: other.accepted };
  await assert.rejects(openMirror(mixed, serverOf(log)), { code: 'ledger_differs' });
  const fresh = { ...place, accepted: (await mirrorPlace()).accepted };
  const opened = await openMirror(fresh, serverOf(log));
  assert.equal(opened.size, 10);
  assert.deepEqual(await fresh.accepted.read(), log.published?.note);
});

test('log mirror: bytes come by their hash, once, and are kept', async () => {
  const bytes = new TextEncoder().encode('a page');
  const hash = hashHex(contentHash(nodeSha256, bytes));
  const place = await mirrorPlace();
  const server = serverOf(await logOf(0));
  const mirror = await openMirror(place, server);
  await assert.rejects(mirror.blob(hash), { code: 'blob_missing' });
  server.blobs.set(hash, new TextEncoder().encode('b page'));
  await assert.rejects(mirror.blob(hash), { code: 'blob_differs' });
  assert.equal(await place.blobs.has(hash), false);
  server.blobs.set(hash, bytes);
  taken(server);
  const both = await Promise.all([mirror.blob(hash), mirror.blob(hash)]);
  assert.deepEqual(both, [bytes, bytes]);
  assert.deepEqual(await mirror.blob(hash), bytes);
  assert.deepEqual(taken(server), [`/blob/${hash}`]);
});

test('log mirror: it opens on an empty log and waits', async () => {
  const log = await openAt(await memoryPlace());
  const mirror = await openMirror(await mirrorPlace(), serverOf(log));
  await assert.rejects(mirror.follow(), { code: 'unreachable' });
  assert.equal(mirror.published, undefined);
  assert.equal(mirror.size, 0);
});

/** The entries of a log, the newest changed by `change` before the key signs them. */
async function broken(
  size: number,
  change: (entry: Entry, before: Entry) => Entry | Uint8Array,
): Promise<Pick<LogRecord, 'published' | 'tile'>> {
  const log = await logOf(size - 1);
  const entries: Uint8Array[] = [];
  for (let seq = 0; seq < size; seq += 1) entries.push((await log.entry(seq)) as Uint8Array);
  const [before, last] = entries.slice(-2).map(parseEntry) as [Entry, Entry];
  const changed = change(last, before);
  entries[size - 1] = changed instanceof Uint8Array ? changed : formatEntry(changed);
  return signedLog(entries);
}

const ZEROS = toHashHex('00'.repeat(32));

for (const [name, code, change] of [
  ['a broken chain', 'ledger_corrupt', (entry: Entry) => ({ ...entry, prev: ZEROS })],
  ['another number', 'ledger_corrupt', (entry: Entry) => ({ ...entry, seq: 7 })],
  ['a time that goes back', 'ledger_corrupt', (entry: Entry) => ({ ...entry, at: formatTime(9) })],
  [
    'a second genesis',
    'ledger_corrupt',
    (entry: Entry) => ({ ...entry, kind: 'genesis/1', body: {} }),
  ],
  ['a body that does not fit', 'malformed', (entry: Entry) => ({ ...entry, body: { a: 1 } })],
  ['another spelling', 'not_canonical', () => new TextEncoder().encode('{ }')],
] as const) {
  test(`log mirror: a signed log is refused with its head remembered: ${name}`, async () => {
    const place = await mirrorPlace();
    const server = serverOf(await logOf(299));
    const mirror = await openMirror(place, server);
    await mirror.follow();
    const kept = await contents(place.store);
    server.record = await broken(301, change);
    await assert.rejects(mirror.follow(), { name: 'Fault', code });
    assert.deepEqual(await contents(place.store), kept);
    assert.equal(mirror.size, 300);
    assert.deepEqual(await place.accepted.read(), server.record.published?.note);
    const fresh = await mirrorPlace();
    await assert.rejects((await openMirror(fresh, server)).follow(), { code });
    assert.deepEqual(await contents(fresh.store), []);
    assert.equal(await fresh.accepted.read(), undefined);
  });
}

test('log mirror: an entry of a kind to come is kept, and folded into nothing', async () => {
  const server = serverOf(await broken(3, (entry) => ({ ...entry, kind: 'to-come/9' })));
  const mirror = await openMirror(await mirrorPlace(), server);
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 3, grew: 3 });
});

test('log mirror: a genesis that names another checkpoint key is refused', async () => {
  const log = await openAt(await memoryPlace());
  const body = genesisBody({ checkpoint_vkey: 'development/ledger-test+00000000+AQ==' });
  await log.write(() => [{ kind: 'genesis/1', body }]);
  const mirror = await openMirror(await mirrorPlace(), serverOf(log));
  await assert.rejects(mirror.follow(), { code: 'ledger_differs' });
});

test('log mirror: no head is followed without the witnesses that are asked for', async () => {
  const log = await logOf(4);
  const place = await mirrorPlace();
  const server = serverOf(log);
  const [first, second] = [testWitness(11), testWitness(12)];
  const mirror = await openMirror(place, server, {
    witnesses: { keys: [first.key, second.key], required: 2, maxAgeS: 60, now: () => NOON },
  });
  assert.deepEqual(await mirror.follow(), { kind: 'unwitnessed', size: 0, grew: 0, have: 0 });
  server.tamper = on(/checkpoint/, (body) => withLines(body, [first.line(body, NOON)]));
  assert.deepEqual(await mirror.follow(), { kind: 'unwitnessed', size: 0, grew: 0, have: 1 });
  assert.equal(await place.accepted.read(), undefined);
  server.tamper = on(/checkpoint/, (body) =>
    withLines(body, [first.line(body, NOON), second.line(body, NOON - 60)]),
  );
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 5, grew: 5 });
  assert.equal(parseNote(mirror.note as Uint8Array).signatures.length, 3);
});

test('log mirror: lines that a head gains later are taken up, and not lost again', async () => {
  const log = await logOf(4);
  const place = await mirrorPlace();
  const server = serverOf(log);
  const mirror = await openMirror(place, server);
  await mirror.follow();
  server.tamper = on(/checkpoint/, (body) => withLines(body, [testWitness(11).line(body, NOON)]));
  await mirror.follow();
  const { note } = mirror;
  assert.equal(parseNote(note as Uint8Array).signatures.length, 2);
  server.tamper = (_, body) => body;
  await mirror.follow();
  assert.deepEqual(mirror.note, note);
  assert.deepEqual((await openMirror(place, server)).note, note);
});

test('log mirror: a head with fewer lines is taken up where a listed one is newer', async () => {
  const log = await logOf(4);
  const place = await mirrorPlace();
  const server = serverOf(log);
  const [first, second, stranger] = [testWitness(11), testWitness(12), testWitness(13)];
  const listed = [first.key, second.key];
  const mirror = await openMirror(place, server, { listed });
  const shows = (...lines: ((body: Uint8Array) => NoteSignature)[]) => {
    server.tamper = on(/checkpoint/, (body) =>
      withLines(
        body,
        lines.map((line) => line(body)),
      ),
    );
    return mirror.follow();
  };
  const held = () =>
    parseNote(mirror.note as Uint8Array)
      .signatures.slice(1)
      .map(({ name, signature }) => `${name} ${parseCosignature(signature)?.time}`);
  const junk = Array.from({ length: 60 }, (_, i) => testWitness(20 + i));
  await shows(
    ...junk.map(
      ({ line }) =>
        (body: Uint8Array) =>
          line(body, NOON),
    ),
    (body) => first.line(body, NOON),
    (body) => second.line(body, NOON),
  );
  await shows((body) => first.line(body, NOON + 60));
  const newest = [`${first.key.name} ${NOON + 60}`, `${second.key.name} ${NOON}`];
  assert.deepEqual(held().slice(0, 2), newest);
  await shows(
    (body) => stranger.line(body, NOON),
    (body) => first.line(body, NOON + 30),
  );
  assert.deepEqual(held().slice(0, 3), [...newest, `${stranger.key.name} ${NOON}`]);
  const { note } = mirror;
  assert.deepEqual((await openMirror(place, server, { listed })).note, note);
});

const vkeyOf = ({ name, publicKey }: NoteKey): string =>
  formatNoteKey(nodeSha256, name, publicKey, NOTE_COSIGNATURE);

const noEntries = on(/entries/, () => undefined);

test('log mirror: an older head of another history waits for the entries that prove it, also over a restart', async () => {
  const log = await logOf(999);
  const small = await forkOf(300, 300);
  const place = await mirrorPlace();
  const server = serverOf(small);
  const mirror = await openMirror(place, server);
  await mirror.follow();
  server.record = log;
  server.tamper = noEntries;
  await assert.rejects(mirror.follow(), { code: 'unreachable' });
  server.tamper = (_, body) => body;
  // Two others: one of this history, one of another.
  server.record = await logOf(599);
  assert.equal((await mirror.follow()).kind, 'behind');
  server.record = await forkOf(700, 300);
  assert.deepEqual(await mirror.follow(), { kind: 'behind', size: 300, grew: 0, head: 700 });
  assert.deepEqual(await mirror.follow(), { kind: 'behind', size: 300, grew: 0, head: 700 });
  assert.equal(place.forks.length, 0);
  server.record = log;
  const again = await openMirror(place, server);
  assert.equal((await again.follow()).kind, 'forked');
  assert.equal(again.size, 1000);
  const [evidence] = place.forks;
  assert.ok(evidence !== undefined);
  const verdict = await checkEvidence(formatEvidence(evidence), PORTABLE);
  assert.deepEqual([verdict.proven, verdict.faults], [true, []]);
  assert.equal((await (await openMirror(place, server)).follow()).kind, 'forked');
});

test('log mirror: an older head of another history is held against what is here already', async () => {
  const log = await logOf(999);
  const place = await mirrorPlace();
  const server = serverOf(await forkOf(300, 300));
  const mirror = await openMirror(place, server);
  await mirror.follow();
  server.record = log;
  server.tamper = noEntries;
  await assert.rejects(mirror.follow(), { code: 'unreachable' });
  server.record = await forkOf(200, 64);
  assert.equal((await mirror.follow()).kind, 'forked');
  const [evidence] = place.forks;
  assert.ok(evidence !== undefined);
  assert.ok((await checkEvidence(formatEvidence(evidence), PORTABLE)).proven);
});

test('log mirror: older heads of the same history are done with', async () => {
  const log = await logOf(999);
  const place = await mirrorPlace();
  const server = serverOf(await logOf(299));
  const mirror = await openMirror(place, server);
  await mirror.follow();
  server.record = log;
  server.tamper = noEntries;
  await assert.rejects(mirror.follow(), { code: 'unreachable' });
  for (const size of [100, 500, 700]) {
    server.record = await logOf(size - 1);
    assert.equal((await mirror.follow()).kind, 'behind');
  }
  server.record = log;
  server.tamper = (_, body) => body;
  assert.equal((await mirror.follow()).kind, 'followed');
  assert.deepEqual(place.forks, []);
  assert.equal((await (await openMirror(place, server)).follow()).kind, 'followed');
});

test('log mirror: a fork that is seen before the first entry is here holds after a restart', async () => {
  const log = await logOf(9);
  const place = await mirrorPlace();
  await place.accepted.swap(undefined, (await forkOf(10, 5)).published?.note ?? new Uint8Array());
  const server = serverOf(log);
  const mirror = await openMirror(place, server);
  assert.equal(mirror.size, 0);
  assert.equal((await mirror.follow()).kind, 'forked');
  taken(server);
  const again = await openMirror(place, server);
  assert.equal(again.blocked?.code, 'ledger_differs');
  assert.equal((await again.follow()).kind, 'forked');
  assert.deepEqual(taken(server), []);
});

test('log mirror: witnesses of the config that signed both heads of a fork are accused', async () => {
  const [both, once, stranger] = [testWitness(77), testWitness(78), testWitness(79)];
  const server = serverOf(await logOf(99));
  const sign = (witnesses: readonly (typeof both)[]): void => {
    server.tamper = on(/checkpoint/, (body) =>
      withLines(
        body,
        witnesses.map(({ line }) => line(body, NOON)),
      ),
    );
  };
  const place = await mirrorPlace();
  const mirror = await openMirror(place, server, { listed: [both.key, once.key] });
  sign([both, once, stranger]);
  await mirror.follow();
  sign([both, stranger]);
  server.record = await forkOf(100, 50);
  const found = await mirror.follow();
  assert.equal(found.kind, 'forked');
  const [evidence] = place.forks;
  assert.ok(evidence !== undefined);
  assert.deepEqual(evidence.witnesses, [vkeyOf(both.key)]);
  const verdict = await checkEvidence(formatEvidence(evidence), PORTABLE);
  assert.deepEqual([verdict.proven, verdict.faults], [true, []]);
  assert.equal(verdict.accused.length, 2);
});

test('log mirror: it objects to what contradicts it, and the next poll has the evidence', async () => {
  const log = await logOf(299);
  const place = await mirrorPlace();
  const server = serverOf(log);
  const mirror = await openMirror(place, server);
  const noteOf = (of: typeof log): Uint8Array => of.published?.note ?? new Uint8Array();
  const lie = noteOf(await forkOf(300, 200));
  assert.equal(await mirror.objection(lie), undefined, 'nothing is known yet');
  await mirror.follow();
  assert.equal(await mirror.objection(noteOf(log)), undefined);
  assert.equal(await mirror.objection(noteOf(await logOf(99))), undefined);
  assert.equal(await mirror.objection(noteOf(await logOf(400))), undefined, 'larger than it knows');
  assert.equal((await mirror.follow()).kind, 'followed');
  assert.match((await mirror.objection(noteOf(await forkOf(250, 200)))) ?? '', /another history/);
  assert.match(
    (await mirror.objection(lie)) ?? '',
    /another history than the log has shown at 300/,
  );
  assert.equal((await mirror.follow()).kind, 'forked');
  assert.equal(place.forks.length, 1);
  assert.match((await mirror.objection(noteOf(log))) ?? '', /two histories/);
});

test('log mirror: a copy has its limits, in entries and in bytes, also over a restart', async () => {
  const log = await logOf(99);
  const server = serverOf(log);
  for (const [limits, limit] of [
    [{ entries: 150, bytes: 1_000_000 }, '150 entries'],
    [{ entries: 1000, bytes: 30_000 }, '30000 bytes'],
  ] as const) {
    server.record = log;
    const place = await mirrorPlace();
    const mirror = await openMirror(place, server, { limits, batchEntries: 10 });
    assert.equal((await mirror.follow()).kind, 'followed');
    server.record = await logOf(399);
    const full = { kind: 'full', size: 100, grew: 0, limit };
    assert.deepEqual(await mirror.follow(), full);
    taken(server);
    assert.deepEqual(await mirror.follow(), full);
    assert.ok(taken(server).every((path) => !path.includes('entries')));
    assert.equal(mirror.size, 100);
    const again = await openMirror(place, server, { limits, batchEntries: 10 });
    assert.deepEqual(await again.follow(), full);
    let bytes = 0;
    for await (const entry of place.store.entries(0, 400)) bytes += entry.length;
    assert.ok(bytes <= limits.bytes);
    const roomy = await openMirror(place, server, {
      limits: { entries: 400, bytes: 1_000_000 },
    });
    assert.equal((await roomy.follow()).kind, 'followed');
  }
});

test('log mirror: bytes under a log have the limit of its copy, also over a restart', async () => {
  const blobs = new MemoryBlobStore();
  const server = serverOf(await logOf(9));
  const place = await mirrorPlace();
  const limits = { entries: 100, bytes: 10_000 };
  const bytesOf = (i: number): Uint8Array => new Uint8Array(3000).fill(i);
  const hashOf = (i: number): HashHex => hashHex(contentHash(nodeSha256, bytesOf(i)));
  for (let i = 0; i < 5; i += 1) server.blobs.set(hashOf(i), bytesOf(i));
  const mirror = await openMirror(place, server, { blobs, limits });
  await mirror.follow();
  for (let i = 0; i < 2; i += 1) await mirror.blob(hashOf(i));
  const again = await openMirror(place, server, { blobs, limits });
  await again.blob(hashOf(2));
  await assert.rejects(again.blob(hashOf(3)), { code: 'copy_full' });
  assert.deepEqual(await again.blob(hashOf(2)), bytesOf(2), 'what is here is given');
  assert.equal(await blobs.has(hashOf(3)), false);
  const roomy = await openMirror(place, server, { blobs, limits: { ...limits, bytes: 20_000 } });
  await roomy.blob(hashOf(3));
  const unbound = await openMirror(place, server, { blobs });
  await unbound.blob(hashOf(4));
});

test('log mirror: a poll copies at most its limit, and the next goes on behind it', async () => {
  const log = await logOf(1000);
  const place = await mirrorPlace();
  const server = serverOf(log);
  const mirror = await openMirror(place, server, { batchEntries: 256, mostEntries: 512 });
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 0, grew: 0 });
  await grow(log, 1);
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 1002, grew: 1002 });
  await requireSame(mirror, log);
  const bundles = taken(server).filter((path) => path.includes('/entries/'));
  assert.ok(bundles.filter((path) => path.endsWith('/entries/000')).length === 1);
});
