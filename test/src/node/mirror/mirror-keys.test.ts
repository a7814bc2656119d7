import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { MAX_CLOSING_LAG } from '@assay/core/view/key/checkpoint-keys';
import { formatEvidence } from '@assay/core/proof/evidence';
import type { LogMirror } from '@assay/node/mirror/log-mirror';
import type { MirrorWitnesses } from '@assay/node/mirror/mirrored-note';
import type { MirrorReader } from '@assay/node/mirror/served-log';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { contents, testSigner } from '../ledger/ledger-fixture.ts';
import { mirrorPlace, openMirror, taken, testWitness, withLines } from './mirror-fixture.ts';
import { noteKeyOf, PaperPublisher } from './paper-publisher.ts';

/** A log with the promise of its next key. */
const promised = (): PaperPublisher => new PaperPublisher().notes(4).promise().notes(2);

/** A log whose key was replaced three times: as planned, after a loss, and as planned. */
const replaced = (): PaperPublisher =>
  promised().rotate().notes(4).recover().notes(2).rotate().notes(3);

/** What a mirror has is what the publisher shows, with the closing heads of all keys that ended. */
async function requireSame(mirror: LogMirror, of: PaperPublisher): Promise<void> {
  assert.deepEqual(mirror.note, of.head());
  assert.equal(mirror.size, of.size);
  for (const [seq, entry] of of.entries.entries()) {
    assert.deepEqual(await mirror.entry(seq), entry);
  }
  for (const [number, note] of of.closing) {
    assert.deepEqual(await mirror.closingHead(number), note, `closing head ${number}`);
  }
  assert.equal(await mirror.closingHead(of.closing.size), undefined, 'of the key in force');
  assert.equal(mirror.terms.length, of.closing.size + 1);
}

for (const [name, change] of [
  ['a rotation', (log: PaperPublisher) => log.rotate()],
  ['a rotation with entries behind it', (log: PaperPublisher) => log.rotate().notes(5)],
  ['a recovery', (log: PaperPublisher) => log.recover()],
  ['a recovery with entries behind it', (log: PaperPublisher) => log.recover().notes(300)],
  ['a recovery behind its closing head', (log: PaperPublisher) => log.notes(2).recover(9).notes(1)],
  [
    'three changes',
    (log: PaperPublisher) => log.rotate().notes(4).recover().notes(2).rotate().notes(3),
  ],
  ['two recoveries', (log: PaperPublisher) => log.recover().notes(1).recover().notes(1)],
  ['a change on a change', (log: PaperPublisher) => log.rotate().rotate().recover().rotate()],
] as const) {
  for (const held of [8, 6]) {
    test(`mirror keys: ${name} is followed by a mirror of ${held} entries`, async () => {
      const place = await mirrorPlace();
      const log = promised();
      const server = log.serve();
      server.record = log.record(held);
      const mirror = await openMirror(place, server);
      await mirror.follow();
      assert.equal(mirror.size, held);
      change(log);
      log.show(server);
      const followed = await mirror.follow();
      assert.deepEqual(followed, { kind: 'followed', size: log.size, grew: log.size - held });
      await requireSame(mirror, log);
      log.notes(1).show(server);
      taken(server);
      await mirror.follow();
      assert.ok(!taken(server).some((path) => path.startsWith('/closing-head')), 'nothing is left');
      const again = await openMirror(place, server);
      await again.follow();
      await requireSame(again, log);
    });
  }
}

for (const number of [0, 1, 2, 3]) {
  test(`mirror keys: a mirror that starts from nothing with key ${number} arrives`, async () => {
    const log = replaced();
    const place = await mirrorPlace();
    const mirror = await openMirror(place, log.serve(), { key: noteKeyOf(number), logId: log.log });
    assert.equal((await mirror.follow()).kind, 'followed');
    await requireSame(mirror, log);
    const again = await openMirror(place, log.serve(), { key: noteKeyOf(number) });
    await requireSame(again, log);
    assert.deepEqual(again.keyOf(8), noteKeyOf(0));
    assert.deepEqual(again.keyOf(log.size), noteKeyOf(3));
  });
}

for (const number of [1, 2, 3]) {
  test(`mirror keys: a copy made under key 0 goes on where key ${number} is given`, async () => {
    const log = promised();
    const place = await mirrorPlace();
    const server = log.serve();
    await (await openMirror(place, server)).follow();
    log.rotate().notes(4).recover().notes(2).rotate().notes(3).show(server);
    const mirror = await openMirror(place, server, { key: noteKeyOf(number) });
    assert.equal(mirror.size, 8);
    await mirror.follow();
    await requireSame(mirror, log);
  });
}

test('mirror keys: a mirror that copies little by little arrives, over restarts', async () => {
  const log = promised().notes(150).rotate().notes(150).recover().notes(150);
  for (const number of [0, 1, 2]) {
    const place = await mirrorPlace();
    const server = log.serve();
    const parts = { key: noteKeyOf(number), batchEntries: 40, mostEntries: 60 };
    let polls = 0;
    for (let size = 0; size < log.size && polls < 30; polls += 1) {
      const mirror = await openMirror(place, server, parts);
      const followed = await mirror.follow();
      assert.equal(followed.kind, 'followed');
      size = mirror.size;
    }
    const mirror = await openMirror(place, server, parts);
    await mirror.follow();
    await requireSame(mirror, log);
  }
});

test('mirror keys: a key that was learned is known after a crash before its entry is stored', async () => {
  const place = await mirrorPlace();
  const log = promised();
  const server = log.serve();
  const mirror = await openMirror(place, server);
  await mirror.follow();
  log.recover().notes(2).show(server);
  let reads = 0;
  server.tamper = (path, body) => {
    if (!path.includes('entries')) return body;
    reads += 1;
    return reads > 1 ? undefined : body;
  };
  await assert.rejects(mirror.follow(), { code: 'unreachable' });
  assert.deepEqual(await place.accepted.read(), log.head(), 'remembered before it is fetched');
  server.tamper = (_, body) => body;
  const again = await openMirror(place, server);
  assert.equal(again.size, 8);
  await again.follow();
  await requireSame(again, log);
});

/** Has a mirror of 8 entries, and requires that it refuses what is shown and keeps nothing of it. */
async function requireRefused(
  shown: (log: PaperPublisher) => readonly [PaperPublisher, Uint8Array?],
  code: string,
  isRemembered = false,
): Promise<void> {
  const place = await mirrorPlace();
  const log = promised();
  const server = log.serve();
  const mirror = await openMirror(place, server);
  await mirror.follow();
  const [kept, accepted] = [await contents(place.store), await place.accepted.read()];
  const [other, note] = shown(log.copy());
  other.show(server, note);
  await assert.rejects(mirror.follow(), { name: 'Fault', code });
  assert.deepEqual(await contents(place.store), kept);
  assert.equal(mirror.size, 8);
  // What the key in force has signed is held against it, as of any log that keeps no rules.
  const remembered = isRemembered ? server.record.published?.note : accepted;
  assert.deepEqual(await place.accepted.read(), remembered);
  if (isRemembered) return;
  // It goes on with what the publisher shows to others.
  log.rotate().notes(1).show(server);
  await mirror.follow();
  await requireSame(mirror, log);
}

test('mirror keys: a head of a key that nothing promised is refused', async () => {
  await requireRefused((log) => {
    log.notes(1);
    return [log, log.head(log.size, [1])];
  }, 'bad_note');
});

test('mirror keys: a rotation to a key that was not promised is refused', async () => {
  await requireRefused(
    (log) => {
      const thief = testSigner(99);
      log.rotate({ key: formatHex(thief.publicKey) }, { new: thief });
      return [log, log.head(log.size, [0])];
    },
    'ledger_corrupt',
    true,
  );
});

test('mirror keys: a recovery without a good signature of the recovery key is refused', async () => {
  await requireRefused((log) => {
    const signatures = { old: null, new: '00'.repeat(64), recovery: '00'.repeat(64) };
    log.recover(log.size, { signatures }).notes(1);
    return [log];
  }, 'ledger_corrupt');
});

test('mirror keys: a forged closing head is refused', async () => {
  await requireRefused((log) => {
    log.notes(1).rotate();
    log.closing.set(0, log.head(log.size, [1]));
    log.notes(1);
    return [log];
  }, 'bad_note');
});

test('mirror keys: an earlier head of the old key is not kept as the closing head of a rotation', async () => {
  const log = new PaperPublisher().notes(4).promise().notes(2);
  const server = log.serve();
  const mirror = await openMirror(await mirrorPlace(), server);
  await mirror.follow();
  const old = log.head();
  log.notes(2).rotate();
  const handover = log.head();
  log.show(server);
  server.closing.set(0, old);
  await mirror.follow();
  log.notes(2).show(server);
  await mirror.follow();
  assert.deepEqual(await mirror.closingHead(0), handover);
});

test('mirror keys: a head behind the end of its key is refused, before anything of it is stored', async () => {
  await requireRefused((log) => {
    log.rotate().notes(3);
    return [log, log.head(log.size, [0])];
  }, 'bad_note');
});

test('mirror keys: a head of the next key alone, under which its entry is not, is refused', async () => {
  await requireRefused((log) => {
    log.notes(3);
    return [log, log.head(log.size, [1])];
  }, 'bad_note');
});

test('mirror keys: a branch that the old key goes on with is refused, and where it is a fork proven', async () => {
  const log = promised();
  const before = log.copy();
  const place = await mirrorPlace();
  const server = log.serve();
  const mirror = await openMirror(place, server);
  await mirror.follow();
  log.rotate().notes(2).show(server);
  await mirror.follow();
  const beyond = log.copy().notes(3, 'thief');
  beyond.show(server, beyond.head(beyond.size, [0]));
  await assert.rejects(mirror.follow(), { code: 'bad_note' });
  assert.equal(await mirror.take(beyond.head(beyond.size, [0]), 11, []), false);
  assert.equal(place.forks.length, 0);
  before.notes(9, 'thief').show(server);
  assert.equal((await mirror.follow()).kind, 'forked');
  const [evidence] = place.forks;
  const needs = { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync };
  const verdict = await checkEvidence(formatEvidence(evidence ?? assert.fail()), needs);
  assert.ok(verdict.proven, JSON.stringify(verdict.faults));
  assert.equal(verdict.log, log.log);
});

test('mirror keys: who followed the branch of a thief has the proof from the closing head', async () => {
  const log = promised();
  const place = await mirrorPlace();
  const server = log.copy().notes(9, 'thief').serve();
  const mirror = await openMirror(place, server);
  await mirror.follow();
  log.rotate().notes(20).show(server);
  assert.equal((await mirror.follow()).kind, 'forked');
  assert.equal(place.forks.length, 1);
});

test('mirror keys: two histories of a later key are evidence against it', async () => {
  const log = promised().rotate().notes(2);
  const other = log.copy().notes(3, 'other');
  const place = await mirrorPlace();
  const server = log.notes(3).serve();
  const mirror = await openMirror(place, server);
  await mirror.follow();
  other.show(server);
  assert.equal((await mirror.follow()).kind, 'forked');
  const [evidence] = place.forks;
  const needs = { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync };
  const verdict = await checkEvidence(formatEvidence(evidence ?? assert.fail()), needs);
  assert.ok(verdict.proven, JSON.stringify(verdict.faults));
});

test('mirror keys: an older head of a key that ended is compared with what is here', async () => {
  const log = promised();
  const forged = log.copy();
  log.rotate().notes(2);
  const mirror = await openMirror(await mirrorPlace(), log.serve());
  await mirror.follow();
  assert.equal(await mirror.objection(log.head(7)), undefined);
  forged.entries.splice(6);
  const other = new PaperPublisher().notes(6, 'other');
  assert.match((await mirror.objection(other.head())) ?? '', /another history/);
  assert.equal((await mirror.follow()).kind, 'forked');
});

test('mirror keys: a publisher without closing heads leads where the promise is known', async () => {
  const log = promised();
  const server = log.serve();
  const mirror = await openMirror(await mirrorPlace(), server);
  await mirror.follow();
  log.recover().notes(2).show(server);
  server.closing.clear();
  await mirror.follow();
  assert.equal(mirror.size, log.size);
  assert.equal(await mirror.closingHead(0), undefined);
  log.show(server);
  await mirror.follow();
  await requireSame(mirror, log);
});

test('mirror keys: a promise that no head of the key before covers leads nowhere', async () => {
  const log = promised();
  const server = log.serve();
  server.record = log.record(4);
  const mirror = await openMirror(await mirrorPlace(), server);
  await mirror.follow();
  // Of five entries, and the promise is the sixth.
  log.recover(5).notes(1).show(server);
  await assert.rejects(mirror.follow(), { code: 'bad_note' });
  assert.equal(mirror.size, 5);
  await assert.rejects(mirror.follow(), { code: 'bad_note' });
  assert.equal(mirror.size, 5);
});

test('mirror keys: a configured key that the log has no place for is refused', async () => {
  const log = replaced();
  const note = log.head(log.size, [3, 7]);
  const server = log.serve();
  log.show(server, note);
  const place = await mirrorPlace();
  const mirror = await openMirror(place, server, { key: noteKeyOf(7) });
  await assert.rejects(mirror.follow(), { code: 'ledger_differs' });
  assert.deepEqual(await contents(place.store), []);
});

for (const lag of [4097, MAX_CLOSING_LAG, MAX_CLOSING_LAG + 1]) {
  const isNear = lag <= MAX_CLOSING_LAG;
  const words = isNear ? 'leads to the next key' : 'leads nowhere';
  test(`mirror keys: a closing head ${lag} entries before the next key ${words}`, async () => {
    const log = promised();
    const closed = log.size;
    const server = log.serve();
    const mirror = await openMirror(await mirrorPlace(), server);
    await mirror.follow();
    log.notes(lag).recover(closed).notes(1).show(server);
    if (isNear) {
      await mirror.follow();
      assert.equal(mirror.size, log.size);
      assert.deepEqual(await mirror.closingHead(0), log.closing.get(0));
    } else {
      await assert.rejects(mirror.follow(), { code: 'bad_note' });
      assert.equal(mirror.size, closed);
    }
  });
}

test('mirror keys: who begins with a later key asks for 1,024 closing heads at most', async () => {
  const log = replaced();
  // Key 7 has signed none of them.
  const note = log.head(log.size, [3]);
  const asked: string[] = [];
  const endless: MirrorReader = {
    get: (path) => {
      if (path.startsWith('/closing-head/')) asked.push(path);
      return Promise.resolve({ status: 200, body: note });
    },
  };
  const mirror = await openMirror(await mirrorPlace(), endless, { key: noteKeyOf(7) });
  await assert.rejects(mirror.follow(), { code: 'bad_note' });
  assert.equal(asked.length, 1024);
  assert.equal(asked.at(-1), '/closing-head/1023');
});

test('mirror keys: with a witness policy the closing heads need lines too, of whatever age', async () => {
  const time = 1_800_000_000;
  const witness = testWitness(60);
  const witnesses: MirrorWitnesses = {
    keys: [witness.key],
    required: 1,
    maxAgeS: 60,
    now: () => time,
  };
  const log = promised();
  const server = log.serve();
  const cosigned = (note: Uint8Array, at: number): Uint8Array =>
    withLines(note, [witness.line(note, at)]);
  const old = time - 1_000_000;
  log.show(server, cosigned(log.head(), time));
  const mirror = await openMirror(await mirrorPlace(), server, { witnesses });
  await mirror.follow();
  const held = log.size;
  log.recover().notes(2).rotate().notes(3);
  const show = (newest: number, closing: (number: number) => boolean): void => {
    log.show(server, cosigned(log.head(), newest));
    for (const [number, note] of log.closing) {
      server.closing.set(number, closing(number) ? cosigned(note, old) : note);
    }
  };
  // Without a line on the closing head of key 1, nothing beyond what it closes is taken.
  show(time, (number) => number !== 1);
  assert.deepEqual(await mirror.follow(), {
    kind: 'unwitnessed',
    size: held,
    grew: 0,
    have: 0,
  });
  // The newest head is of now, and an old line on it is none.
  show(old, () => true);
  assert.equal((await mirror.follow()).kind, 'unwitnessed');
  assert.equal(mirror.size, log.size - 3, 'the handover head of key 1, which is in between');
  show(time, () => true);
  assert.equal((await mirror.follow()).kind, 'followed');
  assert.equal(mirror.size, log.size);
  assert.equal(mirror.terms.length, 3);
  for (const number of log.closing.keys()) {
    assert.deepEqual(await mirror.closingHead(number), server.closing.get(number));
  }
});
