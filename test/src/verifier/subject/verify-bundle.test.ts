import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { parseNote } from '@assay/core/log/note';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { makePin, trustLog } from '@assay/verifier/trust/trust';
import { Findings } from '@assay/verifier/verdict/finding';
import { OPEN_POLICY, type Pin } from '@assay/verifier/verdict/policy';
import { wireBytes } from '../fixture/forge.ts';
import { bundleOf, judgeBundle } from '../fixture/misdeeds.ts';
import { codesOf, ENVIRONMENT, judge, youngLog } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();
const young = youngLog(log);
const bundle = await bundleOf(young);

test('a verified bundle says what it cannot show', async () => {
  const verdict = await judgeBundle(bundle);
  assert.equal(verdict.outcome, 'verified');
  const named = verdict.not_checked.map(({ what }) => what);
  assert.equal(named.includes('the entries of the log that are not in the bundle'), true);
  assert.match(
    named.join('\n'),
    /^that no key\/1 after entry 0 replaces or revokes report key 0, /m,
  );
  assert.equal(
    named.some((what) => what.startsWith('z, issue number')),
    true,
  );
  assert.equal(verdict.outcome === 'verified' && verdict.trust, 'first_use');
});

test('a pinned log: the same head is held to, another is named as not compared', async () => {
  const genesis = log.entries[0] as Uint8Array;
  const trusted = trustLog(genesis, OPEN_POLICY, undefined, ENVIRONMENT, new Findings());
  const leaf = leafHash(nodeSha256, genesis);
  const { root } = parseCheckpoint(parseNote(young.checkpoint).text);
  const pin = makePin(trusted as never, leaf, young.entries.length, root);
  const withPin = (change: Partial<Pin>): ReturnType<typeof judge> =>
    judge(
      { kind: 'bundle', bytes: wireBytes(bundle) },
      {},
      { pins: async () => ({ ...pin, ...change }) },
    );
  const same = await withPin({});
  assert.equal(same.outcome === 'verified' && same.trust, 'pinned');
  assert.equal(
    same.not_checked.some(({ what }) => what.includes('pinned earlier')),
    false,
  );
  assert.deepEqual(codesOf(await withPin({ root: hashHex(leaf) })), ['history_changed']);
  const other = await withPin({ size: 3 });
  assert.equal(other.outcome === 'verified' && other.trust, 'pinned');
  assert.equal(
    other.not_checked.some(({ what }) => what.includes('pinned earlier')),
    true,
  );
});

test('a checkpoint as large as a number can say ends in a finding at once', async () => {
  for (const size of [Number.MAX_SAFE_INTEGER, 2 ** 52, 0, 1]) {
    const checkpoint = parseUtf8(
      log.checkpoints.sign(size, leafHash(nodeSha256, new Uint8Array(0))),
    );
    assert.equal(
      codesOf(await judgeBundle({ ...bundle, checkpoint })).includes('proof_invalid'),
      true,
    );
    const entries = bundle.entries.map((entry) => ({
      ...entry,
      seq: entry.seq + Number.MAX_SAFE_INTEGER - 100,
      proof: Array.from({ length: 53 }, () => hashHex(leafHash(nodeSha256, new Uint8Array(0)))),
    }));
    assert.equal((await judgeBundle({ ...bundle, checkpoint, entries })).outcome, 'findings');
  }
});
