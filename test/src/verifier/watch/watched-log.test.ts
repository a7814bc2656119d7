import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { formatEvidence } from '@assay/core/proof/evidence';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { type OpenCheckpoint, openCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { openSession } from '@assay/verifier/subject/session';
import { type Shown, WatchedLog } from '@assay/verifier/watch/watched-log';
import { Forge, type LooseDraft, noteDraft } from '../fixture/forge.ts';
import { ENVIRONMENT, type Published, publish, siteOf, siteReader } from '../fixture/published.ts';
import {
  CHECKPOINT_KEYS,
  CHECKPOINT_VKEYS,
  checkpointRotation1,
  PLACES,
  promiseOf1,
  type Replaced,
  replaced,
  replacedSite,
} from '../fixture/replaced-log.ts';
import { hexOf, promised } from '../fixture/rotated-log.ts';
import { testSigner } from '../../node/ledger/ledger-fixture.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();
const grown = (size: number): Published =>
  publish(log.entries.slice(0, size), log.blobs, log.checkpoints);

async function begun(published: Published): Promise<WatchedLog> {
  const session = openSession(
    'log',
    OPEN_POLICY,
    () => Promise.resolve(undefined),
    ENVIRONMENT,
    DEFAULT_LIMITS,
    undefined,
    [],
  );
  const open = openCheckpoint(published.checkpoint, new Findings());
  assert.ok(open !== undefined);
  const watched = await WatchedLog.begin(
    session,
    siteReader(siteOf(published)),
    open,
    () => undefined,
  );
  assert.ok(watched !== undefined);
  return watched;
}

async function take(watched: WatchedLog, published: Published, now: number): Promise<string> {
  const open = openCheckpoint(published.checkpoint, new Findings());
  assert.ok(open !== undefined);
  const reader = siteReader(siteOf(published));
  return (await watched.take(published.checkpoint, open, reader, now)).outcome;
}

test('watched log: when an entry was first seen, and nothing of what was there before', async () => {
  const watched = await begun(grown(20));
  for (const [size, now] of [
    [20, 1000],
    [20, 1060],
    [25, 1120],
    [22, 1180],
    [30, 1240],
  ] as const) {
    assert.equal(await take(watched, grown(size), now), 'accepted');
  }
  assert.deepEqual(
    [0, 19, 20, 24, 25, 29, 30].map((seq) => watched.seenAt(seq)),
    [undefined, undefined, 1120, 1120, 1240, 1240, undefined],
  );
});

test('watched log: a report counts with its time once its signature is found good', async () => {
  const forge = new Forge(log, 8);
  const { draft, seq } = forge.report('final');
  draft.body['signature'] = 'ab'.repeat(64);
  const published = forge.publish();
  const watched = await begun(published);
  await take(watched, published, 1000);
  assert.ok(watched.head !== undefined);
  await watched.follow(watched.head, siteReader(siteOf(published)));
  assert.equal(watched.walk.signedReportAt(seq), undefined);
  const provisional = forge.report('provisional');
  assert.equal(watched.walk.signedReportAt(provisional.seq), provisional.draft.at);
});

test('watched log: a head of a key that took the place of the one known, and none of one that ended', async () => {
  const site = (of: Replaced): ReturnType<typeof siteReader> => {
    const all = replacedSite(of);
    // A log that lists no keys, as a co-signer's does: they are in its entries.
    all.delete('/.well-known/assay-signer.json');
    return siteReader(all);
  };
  const open = (note: Uint8Array): OpenCheckpoint => {
    const opened = openCheckpoint(note, new Findings());
    assert.ok(opened !== undefined);
    return opened;
  };
  const before = replaced(undefined, PLACES.rotation1);
  const whole = replaced();
  const session = openSession(
    'log',
    OPEN_POLICY,
    () => Promise.resolve(undefined),
    ENVIRONMENT,
    DEFAULT_LIMITS,
    undefined,
    [],
  );
  const begin = (of: Replaced): Promise<WatchedLog | undefined> =>
    WatchedLog.begin(session, site(of), open(of.checkpoint), () => undefined);
  for (const first of [before, whole]) {
    const watched = await begin(first);
    assert.ok(watched !== undefined, JSON.stringify(session.findings.list));
    const see = (of: Replaced, note: Uint8Array): Promise<Shown> =>
      watched.take(note, open(note), site(of), 1000);
    assert.equal((await see(first, first.checkpoint)).outcome, 'accepted');
    assert.equal((await see(whole, whole.checkpoint)).outcome, 'accepted');
    // What its entries have not shown yet is not left for the next watch.
    const { checkpoint } = open(whole.checkpoint);
    assert.equal(watched.pinOf(checkpoint), null);
    const old = open(before.checkpoint).checkpoint;
    assert.equal(watched.pinOf(old)?.checkpoint_vkey, CHECKPOINT_VKEYS[0]);
    await watched.follow(checkpoint, site(whole));
    assert.deepEqual(watched.findings, []);
    assert.equal(watched.pinOf(checkpoint)?.checkpoint_vkey, CHECKPOINT_VKEYS[3]);
    const stolen = whole.head(PLACES.size, [CHECKPOINT_KEYS[0]]);
    assert.equal((await see(whole, stolen)).outcome, 'refused');
    // An address that lags shows a head of its time.
    assert.equal((await see(before, before.checkpoint)).outcome, 'accepted');
  }
});

/** The same log, with other words in one entry and whatever follows it. */
const branch = (at: number, until?: number): Replaced =>
  replaced((drafts) => {
    (drafts[at] as LooseDraft).body = { text: 'of a thief' };
  }, until);

async function watching(
  first: Replaced,
): Promise<(of: Replaced, note: Uint8Array) => Promise<Shown>> {
  const none = (): Promise<undefined> => Promise.resolve(undefined);
  const session = openSession('log', OPEN_POLICY, none, ENVIRONMENT, DEFAULT_LIMITS, undefined, []);
  const site = (of: Replaced): ReturnType<typeof siteReader> => {
    const all = replacedSite(of);
    all.delete('/.well-known/assay-signer.json');
    return siteReader(all);
  };
  const open = (note: Uint8Array): OpenCheckpoint =>
    openCheckpoint(note, new Findings()) ?? assert.fail();
  const started = WatchedLog.begin(session, site(first), open(first.checkpoint), () => undefined);
  const watched = (await started) ?? assert.fail(JSON.stringify(session.findings.list));
  const see = (of: Replaced, note: Uint8Array): Promise<Shown> =>
    watched.take(note, open(note), site(of), 1000);
  assert.equal((await see(first, first.checkpoint)).outcome, 'accepted');
  return see;
}

/** The key that the evidence of a fork convicts, and the log that it shows. */
async function convicted(shown: Shown): Promise<readonly [string | undefined, HashHex | null]> {
  assert.ok(shown.outcome === 'fork' && shown.evidence !== null, JSON.stringify(shown));
  const verdict = await checkEvidence(formatEvidence(shown.evidence), ENVIRONMENT);
  assert.ok(verdict.proven, JSON.stringify(verdict.faults));
  return [verdict.accused[0]?.key, verdict.log];
}

test('watched log: a branch of a key that was replaced is held against its closing head', async () => {
  const whole = replaced();
  const log0 = hashHex(whole.leaves[0] as Hash);
  const { promise, rotation1, recovery2, size } = PLACES;
  const [key0, key1] = CHECKPOINT_KEYS;
  const see = await watching(whole);
  const early = branch(promise + 1);
  // Of a size that the key may sign, and of one that it may not.
  for (const at of [rotation1, size]) {
    const shown = await see(early, early.head(at, [key0]));
    assert.deepEqual(await convicted(shown), [CHECKPOINT_VKEYS[0], log0], `${at}`);
  }
  // Behind the handover head nothing that the old key signed is contradicted by it.
  const late = branch(rotation1 + 1);
  const refused = await see(late, late.head(recovery2, [key0]));
  assert.ok(refused.outcome === 'refused');
  assert.deepEqual(
    refused.findings.map(({ code }) => code),
    ['key_not_in_force', 'checkpoint_unsigned'],
  );
  // Behind the closing head of a lost key no key has signed both histories.
  const lost = branch(recovery2 - 1);
  const fork = await see(lost, lost.head(recovery2, [key1]));
  assert.deepEqual(fork, { outcome: 'fork', evidence: null });
});

test('watched log: two histories of a later key convict that key, and name no log', async () => {
  const { rotation1, recovery2 } = PLACES;
  const see = await watching(replaced(undefined, recovery2));
  const other = branch(rotation1 + 2, recovery2);
  for (const at of [recovery2, recovery2 - 1]) {
    const shown = await see(other, other.head(at, [CHECKPOINT_KEYS[1]]));
    assert.deepEqual(await convicted(shown), [CHECKPOINT_VKEYS[1], null]);
  }
});

test('watched log: who followed a thief beyond the end of his key convicts it by the closing head', async () => {
  const { promise, rotation1 } = PLACES;
  const thief = replaced((drafts) => {
    drafts.splice(promise + 1);
    const { at } = drafts.at(-1) as LooseDraft;
    for (let i = 0; i < 8; i += 1) drafts.push(noteDraft(at, 'of a thief'));
  });
  assert.ok(thief.entries.length > rotation1 + 1);
  const checkpoint = thief.head(thief.entries.length, [CHECKPOINT_KEYS[0]]);
  const whole = replaced();
  const see = await watching({ ...thief, checkpoint, closing: new Map() });
  const shown = await see(whole, whole.checkpoint);
  assert.deepEqual(await convicted(shown), [CHECKPOINT_VKEYS[0], hashHex(whole.leaves[0] as Hash)]);
});

test('watched log: a head of a key that its own entries ended is taken back once they were walked', async () => {
  const whole = replaced();
  const note = whole.head(PLACES.size, [CHECKPOINT_KEYS[0]]);
  const stolen = { ...whole, checkpoint: note };
  const watched = await begun(stolen);
  const open = openCheckpoint(note, new Findings()) ?? assert.fail();
  const reader = siteReader(replacedSite(stolen));
  assert.equal((await watched.take(note, open, reader, 1000)).outcome, 'accepted');
  assert.equal(watched.pinOf(open.checkpoint)?.checkpoint_vkey, CHECKPOINT_VKEYS[0]);
  assert.equal(watched.isTakenBack(PLACES.size), false);
  await watched.follow(open.checkpoint, reader);
  assert.deepEqual(
    watched.findings.map(({ code }) => code),
    ['key_not_in_force', 'checkpoint_unsigned'],
  );
  assert.equal(watched.isTakenBack(PLACES.size), true);
  assert.equal(watched.pinOf(open.checkpoint), null);
  assert.equal(watched.head, undefined);
  assert.equal((await watched.take(note, open, reader, 1060)).outcome, 'refused');
});

test('watched log: whoever has none of the keys makes no fork, whatever keys its entries bring', async () => {
  const { promise, rotation1 } = PLACES;
  const see = await watching(replaced(undefined, promise + 1));
  const thief = testSigner(90);
  const evil = replaced((drafts, id) => {
    (drafts[promise - 1] as LooseDraft).kind = 'note/1';
    (drafts[promise - 1] as LooseDraft).body = { text: 'another history' };
    (drafts[promise] as LooseDraft).body = promiseOf1(
      id,
      { next_checkpoint_sha256: promised(thief) },
      testSigner(92),
    ) as never;
    (drafts[rotation1] as LooseDraft).body = checkpointRotation1(
      id,
      rotation1,
      { key: hexOf(thief), next_checkpoint_sha256: promised(testSigner(91)) },
      { old: thief, new: thief },
    ) as never;
  }, rotation1 + 3);
  const note = evil.head(rotation1 + 3, [thief]);
  // The closing head of the true key is public, and may stand beside them.
  const closing = new Map([[0, replaced().closing.get(0) as Uint8Array]]);
  for (const each of [closing, new Map([[0, evil.head(rotation1 + 1, [thief])]])]) {
    const shown = await see({ ...evil, checkpoint: note, closing: each }, note);
    assert.equal(shown.outcome, 'refused', JSON.stringify(shown));
  }
});
