import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { formatBundle } from '@assay/core/proof/bundle';
import {
  chargedEnvironment,
  DEFAULT_LIMITS,
  requireWithin,
  workWithin,
} from '@assay/verifier/verdict/limits';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { bundleOf } from '../fixture/misdeeds.ts';
import {
  ENVIRONMENT,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  publish,
  siteOf,
  siteReader,
} from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';
import { tickedLog } from '../fixture/ticked-log.ts';

/** Places at which the work on each subject is cut short. */
const CUTS = 40;

test('at a limit is within it, one more is too large', () => {
  const limits = { ...DEFAULT_LIMITS, entries: 10, folded_bytes: 20 };
  requireWithin(limits, { entries: 10, foldedBytes: 20 });
  assert.throws(() => requireWithin(limits, { entries: 11, foldedBytes: 0 }), {
    code: 'too_large',
    message: /10 entries, the limit of this verification, found 11/,
  });
  assert.throws(() => requireWithin(limits, { entries: 0, foldedBytes: 21 }), {
    code: 'too_large',
  });
});

test('a caller who has had enough ends it, in the middle of the work too', () => {
  const stop = new AbortController();
  const work = workWithin({ ...DEFAULT_LIMITS, signal: stop.signal });
  work.check();
  stop.abort();
  assert.throws(() => work.check(), { code: 'work_exceeded' });
  const busy = workWithin({ ...DEFAULT_LIMITS, signal: stop.signal });
  assert.throws(
    () => {
      for (;;) busy.charge(1);
    },
    { code: 'work_exceeded' },
  );
});

test('hashes and signature checks are charged', async () => {
  const work = workWithin({ ...DEFAULT_LIMITS, steps: 1_000_000 });
  const charged = chargedEnvironment(ENVIRONMENT, work);
  charged.sha256(new Uint8Array(1000));
  const hashed = work.spent;
  assert.ok(hashed >= 1000, `${hashed}`);
  await charged.verifySignature(new Uint8Array(32), new Uint8Array(0), new Uint8Array(64));
  assert.ok(work.spent > 10 * hashed, `${work.spent}`);
  assert.throws(() => charged.sha256(new Uint8Array(1_000_000)), { code: 'work_exceeded' });
});

const log = await sampleLog();
const whole = publish(log.entries, log.blobs, log.checkpoints);
const ticked = tickedLog();

/** The fewest steps, to one in a thousand, with which `judged` is a yes; what it is with fewer is `incomplete`. */
async function stepsOf(judged: (steps: number) => Promise<Verdict>): Promise<number> {
  let [least, most] = [0, 1];
  while ((await judged(most)).outcome !== 'verified') [least, most] = [most, 2 * most];
  while (most - least > most / 1000) {
    const middle = Math.floor((least + most) / 2);
    if ((await judged(middle)).outcome === 'verified') most = middle;
    else least = middle;
  }
  return most;
}

const SUBJECTS: readonly (readonly [string, (steps: number) => Promise<Verdict>])[] = [
  ['log', (steps) => judgeSite(siteOf(whole), {}, { limits: { steps } })],
  ['folder', (steps) => judgeFolder(folderOf(whole), {}, { limits: { steps } })],
  [
    'bundle',
    async (steps) =>
      judge(
        { kind: 'bundle', bytes: formatBundle(await bundleOf(whole)) },
        {},
        { limits: { steps } },
      ),
  ],
  [
    'Terminal',
    (steps) =>
      judgeSite(
        siteOf(publish(ticked.entries, ticked.blobs, ticked.checkpoints)),
        {},
        { limits: { steps } },
      ),
  ],
];

for (const [name, judged] of SUBJECTS) {
  test(`a ${name} that is cut short at any step is neither a yes nor a finding`, async () => {
    const all = await stepsOf(judged);
    // No catch on the way may make of it what it makes of bytes that are wrong.
    for (let i = 0; i < CUTS; i += 1) {
      const verdict = await judged(Math.floor((all * i) / CUTS) - 1);
      assert.equal(verdict.outcome, 'incomplete', `cut ${i} of ${CUTS}`);
      if (verdict.outcome !== 'incomplete') continue;
      assert.match(verdict.reason, /^work: expected an end within -?[0-9]+ steps$/);
      assert.deepEqual(verdict.findings, []);
    }
  });
}

test('a wait that never ends is left at the deadline', async () => {
  let end: (error: Error) => void = () => undefined;
  const deadline = new Promise<never>((_, reject) => {
    end = reject;
  });
  const site = siteOf(whole);
  const reader: LogReader = {
    live: true,
    get(path) {
      if (!path.startsWith('/blob/')) return siteReader(site).get(path);
      end(new Fault('timeout', 'command', { expected: 'an end within 5 s' }));
      return new Promise(() => undefined);
    },
  };
  const verdict = await judge({ kind: 'log', reader }, {}, { limits: { deadline } });
  assert.equal(verdict.outcome, 'incomplete');
  assert.equal(
    verdict.outcome === 'incomplete' && verdict.reason,
    'work: expected an end within 5 s',
  );
});
