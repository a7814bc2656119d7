import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenCheckpoint, openCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { openSession } from '@assay/verifier/subject/session';
import { type Shown, WatchedLog } from '@assay/verifier/watch/watched-log';
import { Forge } from '../fixture/forge.ts';
import { ENVIRONMENT, type Published, publish, siteOf, siteReader } from '../fixture/published.ts';
import {
  CHECKPOINT_KEYS,
  CHECKPOINT_VKEYS,
  PLACES,
  type Replaced,
  replaced,
  replacedSite,
} from '../fixture/replaced-log.ts';
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
    const take = (of: Replaced, note: Uint8Array): Promise<Shown> =>
      watched.take(note, open(note), site(of), 1000);
    assert.equal((await take(first, first.checkpoint)).outcome, 'accepted');
    assert.equal((await take(whole, whole.checkpoint)).outcome, 'accepted');
    const pin = watched.pinOf(open(whole.checkpoint).checkpoint);
    assert.equal(pin?.checkpoint_vkey, CHECKPOINT_VKEYS[3]);
    const stolen = whole.head(PLACES.size, [CHECKPOINT_KEYS[0]]);
    assert.equal((await take(whole, stolen)).outcome, 'refused');
    // An address that lags shows a head of its time.
    assert.equal((await take(before, before.checkpoint)).outcome, 'accepted');
  }
});
