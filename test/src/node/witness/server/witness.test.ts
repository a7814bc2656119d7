import type { KnownKey } from '@assay/node/witness/server/known-log';
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { equalBytes } from '@assay/core/bytes/bytes';
import { cosignatureMessage, parseCosignature } from '@assay/core/log/cosignature';
import { toHash } from '@assay/core/hash/hash';
import { formatNote, NOTE_COSIGNATURE, parseNote, parseNoteKey } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWitnessRequest } from '@assay/node/witness/server/witness-request';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { FileWitnessMemory, originHex } from '@assay/node/witness/server/file-witness-memory';
import type { Witness } from '@assay/node/witness/server/witness';
import { MemoryWitnessMemory, type WitnessMemory } from '@assay/node/witness/server/witness-memory';
import fc from 'fast-check';
import { Gate, NOON, testSigner, turns } from '../../ledger/ledger-fixture.ts';
import {
  LOG_ORIGIN,
  LOG_SIGNER,
  logVkey,
  noteLine,
  PaperLog,
  WITNESS_SIGNER,
  witnessWith,
} from '../witness-fixture.ts';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-witness-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const CHECKPOINTS = 'checkpoints';
const memoryIn = (folder: string): Promise<FileWitnessMemory> =>
  FileWitnessMemory.open(join(folder, CHECKPOINTS), join(folder, 'marks'));
const fileIn = (folder: string): string => join(folder, CHECKPOINTS, originHex(LOG_ORIGIN));

const log = new PaperLog(300);
/** Another history that shares its first five entries. */
const fork = new PaperLog(300, ' forked', 5);

const ask = (
  witness: Witness,
  old: number,
  size: number,
  of = log,
): ReturnType<Witness['addCheckpoint']> => witness.addCheckpoint(of.request(old, size));

/** Throws unless `body` is one good line of the witness on this checkpoint at `time`. */
function requireLine(witness: Witness, body: string, note: Uint8Array, time: number): void {
  const { text } = parseNote(note);
  const { signatures } = parseNote(formatUtf8(`${text}\n${body}`));
  assert.equal(signatures.length, 1);
  const [line] = signatures;
  const key = parseNoteKey(nodeSha256, witness.vkey, NOTE_COSIGNATURE);
  assert.deepEqual([line?.name, line?.keyId], [key.name, key.keyId]);
  const said = parseCosignature(line?.signature ?? new Uint8Array());
  assert.equal(said?.time, time);
  const message = cosignatureMessage(text, time);
  assert.ok(nodeVerifySignature(key.publicKey, message, said.signature));
}

test('witness: 200 with its line, for a first checkpoint, a larger one and the same again', async () => {
  let now = NOON;
  const witness = witnessWith({ now: () => now });
  assert.match(witness.vkey, /^witness\.example\/w1\+[0-9a-f]{8}\+B/);
  for (const [old, size] of [
    [0, 0],
    [0, 3],
    [3, 3],
    [3, 4],
    [4, 256],
    [256, 300],
    [300, 300],
  ] as const) {
    now += 7;
    const { status, contentType, body } = await ask(witness, old, size);
    assert.deepEqual([status, contentType], [200, 'text/plain; charset=utf-8'], `${old}-${size}`);
    requireLine(witness, body, log.note(size), now);
    const head = await witness.head(LOG_ORIGIN);
    assert.equal(head?.size, size);
    const kept = parseNote(head.note);
    assert.deepEqual(kept.signatures.slice(0, 1), parseNote(log.note(size)).signatures);
    assert.equal(kept.signatures.length, 2, "the log's line and its own");
  }
});

test('witness: 400 for what is no request, no checkpoint, or an old size above the new', async () => {
  const witness = witnessWith();
  const bare = (text: string): Uint8Array => formatUtf8(text);
  const text = 'development/witnessed\n3\n';
  for (const bytes of [
    bare(''),
    bare('old 0\n\nno note'),
    bare(`old 0\n\n${text}`),
    formatWitnessRequest({
      old: 0,
      proof: [],
      checkpoint: formatNote({ text, signatures: [noteLine(text, LOG_SIGNER, LOG_ORIGIN)] }),
    }),
    log.request(4, 3),
  ]) {
    const { status, contentType } = await witness.addCheckpoint(bytes);
    assert.deepEqual([status, contentType], [400, 'text/plain; charset=utf-8']);
  }
  assert.equal(await witness.head(LOG_ORIGIN), undefined);
});

test('witness: 404 for a log that it does not know, before it looks at a signature', async () => {
  const witness = witnessWith();
  const checkpoint = log.note(3, { origin: 'development/other' });
  const { status } = await witness.addCheckpoint(
    formatWitnessRequest({ old: 0, proof: [], checkpoint }),
  );
  assert.equal(status, 404);
  assert.equal(await witness.headAt(originHex('development/other')), undefined);
});

test('witness: 403 without a good line of a key that it trusts for the log', async () => {
  const other = testSigner(43);
  const witness = witnessWith({
    logs: [
      { origin: LOG_ORIGIN, keys: [{ vkey: logVkey(), lastSize: null }] },
      {
        origin: 'development/other',
        keys: [{ vkey: logVkey(other, 'development/other'), lastSize: null }],
      },
    ],
  });
  const { text, signatures } = parseNote(log.note(3));
  const [good] = signatures;
  assert.ok(good !== undefined);
  const bad = { ...good, signature: good.signature.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) };
  const foreign = noteLine(text, other, LOG_ORIGIN);
  const misnamed = noteLine(text, LOG_SIGNER, 'development/other');
  const otherId = { ...good, keyId: foreign.keyId };
  for (const lines of [[bad], [foreign], [misnamed], [otherId], [foreign, bad]]) {
    const checkpoint = formatNote({ text, signatures: lines });
    const bytes = formatWitnessRequest({ old: 0, proof: [], checkpoint });
    assert.equal((await witness.addCheckpoint(bytes)).status, 403);
    // Said before the sizes are looked at.
    const above = formatWitnessRequest({ old: 9, proof: [], checkpoint });
    assert.equal((await witness.addCheckpoint(above)).status, 403);
  }
  const among = formatNote({ text, signatures: [foreign, good] });
  const bytes = formatWitnessRequest({ old: 0, proof: [], checkpoint: among });
  assert.equal((await witness.addCheckpoint(bytes)).status, 200);
  const kept = parseNote((await witness.head(LOG_ORIGIN))?.note ?? new Uint8Array());
  assert.ok(!kept.signatures.some(({ keyId }) => keyId === foreign.keyId), 'only what it checked');
});

test('witness: of several keys of a log each signs the sizes of its term alone', async () => {
  const [second, third] = [testSigner(43), testSigner(44)];
  const keys = [
    { vkey: logVkey(), lastSize: 3 },
    { vkey: logVkey(second), lastSize: 5 },
    { vkey: logVkey(third), lastSize: null },
  ];
  const witness = witnessWith({ logs: [{ origin: LOG_ORIGIN, keys }] });
  let old = 0;
  for (const [size, signers, status] of [
    [2, [second], 403],
    [2, [LOG_SIGNER], 200],
    // The handover head: the older key has to be on it.
    [3, [second], 403],
    [3, [second, LOG_SIGNER], 200],
    [4, [LOG_SIGNER], 403],
    [4, [third], 403],
    [4, [second], 200],
    [5, [second, third], 200],
    [6, [LOG_SIGNER], 403],
    [6, [second], 403],
    [6, [third], 200],
  ] as const) {
    const { text } = parseNote(log.note(size));
    const signatures = signers.map((each) => noteLine(text, each, LOG_ORIGIN));
    const checkpoint = formatNote({ text, signatures });
    const bytes = formatWitnessRequest({ old, proof: log.proof(old, size), checkpoint });
    const { status: found } = await witness.addCheckpoint(bytes);
    assert.equal(found, status, `size ${size}, ${signers.length} lines`);
    if (status === 200) old = size;
    const kept = parseNote((await witness.head(LOG_ORIGIN))?.note ?? log.note(1));
    if (status === 200) assert.equal(kept.signatures.length, signers.length + 1);
  }
  assert.deepEqual(witness.origins, [LOG_ORIGIN]);
});

test('witness: the keys of a log that it follows are asked for with each checkpoint', async () => {
  const second = testSigner(43);
  let keys: readonly KnownKey[] = [{ vkey: logVkey(), lastSize: null }];
  const witness = witnessWith({ logs: [{ origin: LOG_ORIGIN, keys: () => keys }] });
  assert.equal((await ask(witness, 0, 3)).status, 200);
  const checkpoint = log.note(5, { signer: second });
  const bytes = formatWitnessRequest({ old: 3, proof: log.proof(3, 5), checkpoint });
  assert.equal((await witness.addCheckpoint(bytes)).status, 403);
  keys = [
    { vkey: logVkey(), lastSize: 4 },
    { vkey: logVkey(second), lastSize: null },
  ];
  assert.equal((await witness.addCheckpoint(bytes)).status, 200);
});

test('witness: keys without an order, and a log that is listed twice, are refused', () => {
  const vkey = logVkey();
  for (const lastSizes of [[], [5], [null, null], [5, 4, null], [0, null]]) {
    const keys = lastSizes.map((lastSize) => ({ vkey, lastSize }));
    assert.throws(() => witnessWith({ logs: [{ origin: LOG_ORIGIN, keys }] }), {
      code: 'bad_config',
    });
  }
  // A recovery in the entry after a rotation ends a key where the one before it ended.
  const keys = [5, 5, null].map((lastSize) => ({ vkey, lastSize }));
  assert.doesNotThrow(() => witnessWith({ logs: [{ origin: LOG_ORIGIN, keys }] }));
  const one = { origin: LOG_ORIGIN, keys: [{ vkey, lastSize: null }] };
  assert.throws(() => witnessWith({ logs: [one, one] }), { code: 'bad_config' });
});

test('witness: 409 to the byte, where the old size is not what it cosigned last', async () => {
  const witness = witnessWith();
  const conflict = (size: number): object => ({
    status: 409,
    contentType: 'text/x.tlog.size',
    body: `${size}\n`,
  });
  assert.deepEqual(await ask(witness, 2, 5), conflict(0));
  assert.equal((await ask(witness, 0, 5)).status, 200);
  assert.deepEqual(await ask(witness, 0, 9), conflict(5), 'asked what it has');
  assert.deepEqual(await ask(witness, 4, 9), conflict(5));
  assert.deepEqual(await ask(witness, 6, 9), conflict(5));
  assert.deepEqual(await ask(witness, 0, 4), conflict(5), 'a rollback');
  assert.deepEqual(await ask(witness, 4, 4), conflict(5), 'a rollback');
  assert.equal((await witness.head(LOG_ORIGIN))?.size, 5);
});

test('witness: 422 where the proof does not prove', async () => {
  const witness = witnessWith();
  const request = (old: number, size: number, proof: readonly Uint8Array[], of = log): Uint8Array =>
    formatWitnessRequest({ old, proof: proof.map(toHash), checkpoint: of.note(size) });
  const some = new Uint8Array(32);
  const refuse = async (bytes: Uint8Array, why: string): Promise<void> => {
    const { status, contentType } = await witness.addCheckpoint(bytes);
    assert.deepEqual([status, contentType], [422, 'text/plain; charset=utf-8'], why);
  };
  await refuse(request(0, 5, [some]), 'a proof from nothing is empty');
  const empty = formatWitnessRequest({
    old: 0,
    proof: [],
    checkpoint: log.note(0, { root: toHash(some) }),
  });
  await refuse(empty, 'the root of no entries is fixed');
  assert.equal(await witness.head(LOG_ORIGIN), undefined);
  assert.equal((await ask(witness, 0, 7)).status, 200);
  await refuse(request(7, 12, []), 'no proof');
  await refuse(request(7, 12, log.proof(6, 12)), 'the proof of another size');
  await refuse(request(7, 12, log.proof(7, 12).toReversed()), 'out of order');
  await refuse(request(7, 12, [...log.proof(7, 12), some]), 'one hash more');
  await refuse(request(7, 7, [some]), 'the same size with a proof');
  await refuse(request(7, 7, [], fork), 'the same size with another root');
  await refuse(fork.request(7, 12), 'a fork');
  assert.ok(equalBytes((await witness.head(LOG_ORIGIN))?.root ?? some, log.root(7)));
});

for (const [kind, open] of [
  ['memory', () => Promise.resolve(new MemoryWitnessMemory())],
  ['file', (folder: string) => memoryIn(folder)],
] as const) {
  test(`witness: of requests that race exactly one wins, in ${kind}`, async (t) => {
    const memory: WitnessMemory = await open(await folderOf(t));
    const witness = witnessWith({ memory });
    assert.equal((await ask(witness, 0, 6)).status, 200);
    const answers = await Promise.all([
      ask(witness, 6, 9),
      ask(witness, 6, 12, fork),
      ask(witness, 6, 20),
      ask(witness, 6, 9),
    ]);
    // The fork has another sixth entry, so its proof cannot lead to the root that was cosigned.
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 409, 409, 409],
    );
    assert.deepEqual(
      answers.slice(1).map(({ body }) => body),
      ['9\n', '9\n', '9\n'],
    );
    assert.equal((await witness.head(LOG_ORIGIN))?.size, 9);
  });

  test(`witness: two on one memory do not both cosign: a swap counts on what it read, in ${kind}`, async (t) => {
    const inner: WitnessMemory = await open(await folderOf(t));
    const gate = new Gate();
    const memory: WitnessMemory = {
      read: inner.read,
      swap: async (origin, expected, next) => {
        await gate.pass();
        await inner.swap(origin, expected, next);
      },
    };
    const [one, two] = [witnessWith({ memory }), witnessWith({ memory })];
    assert.equal((await ask(one, 0, 5)).status, 200);
    gate.shut();
    const asked = [ask(one, 5, 9), ask(two, 5, 12, fork)];
    while (gate.arrived < 2) await turns(1);
    gate.open();
    const ended = await Promise.allSettled(asked);
    const won = ended.findIndex(({ status }) => status === 'fulfilled');
    const lost = ended[1 - won];
    assert.ok(won >= 0 && lost?.status === 'rejected', 'one alone');
    assert.equal((lost.reason as { code?: string }).code, 'guard_conflict');
    const root = won === 0 ? log.root(9) : fork.root(12);
    assert.ok(equalBytes((await one.head(LOG_ORIGIN))?.root ?? new Uint8Array(), root));
  });
}

test('witness: no answer before the memory has it', async () => {
  const inner = new MemoryWitnessMemory();
  const gate = new Gate();
  const witness = witnessWith({
    memory: {
      read: inner.read,
      swap: async (...args) => {
        await gate.pass();
        await inner.swap(...args);
      },
    },
  });
  gate.shut();
  let answered = false;
  const asked = ask(witness, 0, 5).then((answer) => {
    answered = true;
    return answer;
  });
  await turns();
  assert.equal(gate.arrived, 1);
  assert.equal(answered, false);
  gate.open();
  assert.equal((await asked).status, 200);
});

test('witness: a fork and a rollback are refused after a restart too', async (t) => {
  const folder = await folderOf(t);
  const start = async (): Promise<Witness> => witnessWith({ memory: await memoryIn(folder) });
  assert.equal((await ask(await start(), 0, 12)).status, 200);
  const again = await start();
  assert.deepEqual(await ask(again, 0, 5), {
    status: 409,
    contentType: 'text/x.tlog.size',
    body: '12\n',
  });
  assert.equal((await ask(again, 12, 12, fork)).status, 422);
  assert.equal((await ask(again, 12, 20, fork)).status, 422);
  assert.equal((await ask(again, 12, 20)).status, 200);
  assert.equal((await ask(await start(), 12, 20)).body, '20\n');
});

test('witness: a crash between write and answer costs a second question and nothing else', async (t) => {
  const folder = await folderOf(t);
  const memory = await memoryIn(folder);
  assert.equal((await ask(witnessWith({ memory }), 0, 5)).status, 200);
  const cut = witnessWith({
    memory: {
      read: memory.read,
      swap: async (...args) => {
        await memory.swap(...args);
        throw new Error('power cut');
      },
    },
  });
  await assert.rejects(ask(cut, 5, 9), /power cut/);
  const after = witnessWith({ memory: await memoryIn(folder) });
  // The asker was told nothing, and forks: what is on disk holds.
  assert.equal((await ask(after, 5, 12, fork)).body, '9\n');
  assert.equal((await ask(after, 9, 12, fork)).status, 422);
  assert.equal((await ask(after, 9, 9)).status, 200);
});

test('witness: a write that failed ends the memory until it is opened again', async (t) => {
  const folder = await folderOf(t);
  const memory = await memoryIn(folder);
  const witness = witnessWith({ memory });
  const place = join(folder, CHECKPOINTS);
  await rm(place, { recursive: true });
  await writeFile(place, 'no folder');
  await assert.rejects(ask(witness, 0, 9), { name: 'Fault', code: 'storage_failed' });
  await rm(place);
  await assert.rejects(ask(witness, 0, 9), { name: 'Fault', code: 'stopped' });
  await assert.rejects(ask(witness, 0, 9), { name: 'Fault', code: 'stopped' });
});

test('witness: one file for each log, named by its origin; nothing else is left', async (t) => {
  const folder = await folderOf(t);
  const memory = await memoryIn(folder);
  const witness = witnessWith({ memory });
  await ask(witness, 0, 5);
  await ask(witness, 5, 9);
  assert.deepEqual(await readdir(join(folder, CHECKPOINTS)), [originHex(LOG_ORIGIN)]);
  const file = await readFile(fileIn(folder));
  assert.ok(file.equals((await witness.headAt(originHex(LOG_ORIGIN)))?.note ?? Buffer.alloc(0)));
});

test('witness: a memory that was changed or is another’s is refused, and nothing is signed', async (t) => {
  const folder = await folderOf(t);
  const memory = await memoryIn(folder);
  await ask(witnessWith({ memory }), 0, 5);
  const path = fileIn(folder);
  const good = await readFile(path);
  const stranger = witnessWith({ memory, signer: testSigner(44) });
  await assert.rejects(ask(stranger, 5, 9), { name: 'Fault', code: 'ledger_corrupt' });
  const { text, signatures } = parseNote(new Uint8Array(good));
  const smaller = { text: parseNote(log.note(3)).text, signatures };
  for (const bytes of [
    Buffer.alloc(0),
    good.subarray(0, good.length / 2),
    formatNote(smaller),
    formatNote({ text, signatures: signatures.slice(0, 1) }),
    log.note(5, { origin: 'development/other' }),
  ]) {
    await writeFile(path, bytes);
    await assert.rejects(ask(witnessWith({ memory }), 5, 9), { code: 'ledger_corrupt' });
    await assert.rejects(ask(witnessWith({ memory }), 0, 9), { code: 'ledger_corrupt' });
  }
  await writeFile(path, good);
  assert.equal((await ask(witnessWith({ memory }), 5, 9)).status, 200);
});

test('witness: whatever it is asked, all that it cosigned is one history', async () => {
  const histories = [log, fork];
  const question = fc.record({
    of: fc.integer({ min: 0, max: 1 }),
    old: fc.oneof(fc.constant('held' as const), fc.integer({ min: 0, max: 12 })),
    size: fc.integer({ min: 0, max: 12 }),
    restart: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(question, { maxLength: 30 }), async (questions) => {
      const memory = new MemoryWitnessMemory();
      let witness = witnessWith({ memory });
      const cosigned: { size: number; root: Uint8Array; of: number }[] = [];
      for (const { of, old, size, restart } of questions) {
        if (restart) witness = witnessWith({ memory });
        const history = histories[of] as PaperLog;
        const from = old === 'held' ? ((await witness.head(LOG_ORIGIN))?.size ?? 0) : old;
        const { status } = await ask(witness, from, size, history);
        if (status === 200) cosigned.push({ size, root: history.root(size), of });
      }
      for (const [i, each] of cosigned.entries()) {
        assert.ok(i === 0 || each.size >= (cosigned[i - 1]?.size ?? 0), 'it never goes back');
        const last = cosigned.at(-1);
        const history = histories[last?.of ?? 0] as PaperLog;
        assert.ok(equalBytes(each.root, history.root(each.size)), 'one history holds all');
      }
    }),
    { numRuns: 60 },
  );
});

test('witness: its key is not a log’s: the vkey has type 0x04', () => {
  const witness = witnessWith();
  assert.throws(() => parseNoteKey(nodeSha256, witness.vkey), { code: 'bad_note' });
  const { publicKey } = parseNoteKey(nodeSha256, witness.vkey, NOTE_COSIGNATURE);
  assert.ok(equalBytes(publicKey, WITNESS_SIGNER.publicKey));
});

test('witness: a memory that is lost, old or exchanged is refused while it runs, and nothing is signed', async (t) => {
  const folder = await folderOf(t);
  const path = fileIn(folder);
  const witness = witnessWith({ memory: await memoryIn(folder) });
  assert.equal((await ask(witness, 0, 100)).status, 200);
  const old = await readFile(path);
  assert.equal((await ask(witness, 100, 200)).status, 200);
  const newest = await readFile(path);
  const refuse = async (): Promise<void> => {
    for (const size of [0, 100, 200]) {
      await assert.rejects(ask(witness, size, 300), { name: 'Fault', code: 'ledger_corrupt' });
    }
    await assert.rejects(witness.head(LOG_ORIGIN), { code: 'ledger_corrupt' });
  };
  await writeFile(path, old);
  await refuse();
  // A head of its own, of another history.
  const other = witnessWith();
  await ask(other, 0, 200, fork);
  await writeFile(path, (await other.head(LOG_ORIGIN))?.note ?? '');
  await refuse();
  await rm(path);
  await refuse();
  await writeFile(path, newest);
  assert.equal((await ask(witness, 200, 300)).status, 200);
});

test('witness: a memory that is gone is distinguished from one that has nothing to remember, at a start too', async (t) => {
  const folder = await folderOf(t);
  const fresh = await memoryIn(folder);
  await memoryIn(folder);
  assert.equal((await ask(witnessWith({ memory: fresh }), 0, 100)).status, 200);
  const started = await memoryIn(folder);
  await rm(join(folder, CHECKPOINTS), { recursive: true });
  await assert.rejects(memoryIn(folder), { name: 'Fault', code: 'ledger_corrupt' });
  // The folder came again, empty; one that was started before has asked it nothing yet.
  await assert.rejects(memoryIn(folder), { name: 'Fault', code: 'ledger_corrupt' });
  await assert.rejects(ask(witnessWith({ memory: started }), 0, 200, fork), {
    code: 'ledger_corrupt',
  });
});

test('witness: a head whose mark was not written gets it with the next', async (t) => {
  const folder = await folderOf(t);
  assert.equal((await ask(witnessWith({ memory: await memoryIn(folder) }), 0, 5)).status, 200);
  await rm(join(folder, 'marks'), { recursive: true });
  assert.equal((await ask(witnessWith({ memory: await memoryIn(folder) }), 5, 9)).status, 200);
  await rm(fileIn(folder));
  await assert.rejects(memoryIn(folder), { code: 'ledger_corrupt' });
});

test('witness: the same line many times is one line', async () => {
  const witness = witnessWith();
  const { text, signatures } = parseNote(log.note(5));
  const [line] = signatures;
  assert.ok(line !== undefined);
  const bad = { ...line, signature: new Uint8Array(64) };
  const again = Array.from({ length: 63 }, () => line);
  const note = formatNote({ text, signatures: [bad, ...again] });
  const { status } = await witness.addCheckpoint(
    formatWitnessRequest({ old: 0, proof: [], checkpoint: note }),
  );
  assert.equal(status, 200);
  const head = await witness.head(LOG_ORIGIN);
  const lines = parseNote(head?.note ?? new Uint8Array()).signatures;
  assert.deepEqual(
    lines.map(({ name }) => name),
    [LOG_ORIGIN, witness.name],
  );
});

test('witness: what something else is known against is refused, after it was found to be signed', async () => {
  const asked: string[] = [];
  let against: string | undefined;
  const witness = witnessWith({
    objection: (origin, note) => {
      asked.push(`${origin} ${parseNote(note).signatures.length}`);
      return Promise.resolve(against);
    },
  });
  assert.equal((await ask(witness, 0, 5)).status, 200);
  against = 'it is forked';
  for (const old of [5, 3]) {
    assert.deepEqual(await ask(witness, old, 9), {
      status: 422,
      contentType: 'text/plain; charset=utf-8',
      body: 'it is forked\n',
    });
  }
  const unsigned = log.note(9, { signer: testSigner(44) });
  const request = formatWitnessRequest({ old: 5, proof: log.proof(5, 9), checkpoint: unsigned });
  assert.equal((await witness.addCheckpoint(request)).status, 403);
  assert.deepEqual(asked, [`${LOG_ORIGIN} 1`, `${LOG_ORIGIN} 1`, `${LOG_ORIGIN} 1`]);
  assert.equal((await witness.head(LOG_ORIGIN))?.size, 5);
});
