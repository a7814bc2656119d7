import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_NOTE_BYTES, parseNoteKey } from '@assay/core/log/note';
import { checkpointTerms, signingTerms } from '@assay/core/view/key/checkpoint-keys';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ClosingHeads } from '@assay/verifier/log/closing-heads';
import { LogKeys } from '@assay/verifier/trust/closing-head';
import { firstTerms, judgeHead } from '@assay/verifier/trust/key-path';
import { openCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import { trustLog } from '@assay/verifier/trust/trust';
import { Findings } from '@assay/verifier/verdict/finding';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { ENVIRONMENT } from '../fixture/published.ts';
import { PLACES, replaced } from '../fixture/replaced-log.ts';

const whole = replaced();
const terms = checkpointTerms(whole.views);

test('log keys: the signers of a head of each size are those of the terms', () => {
  const keys = new LogKeys(terms, nodeSha256);
  for (let size = 1; size <= PLACES.size + 1; size += 1) {
    const expected = signingTerms(terms, size).map(({ vkey }) => parseNoteKey(nodeSha256, vkey));
    assert.deepEqual(keys.of(size).signers, expected, `${size}`);
  }
  assert.equal(keys.of(1).all.size, terms.length);
});

test('a head is judged with each key of its log parsed once, however many closing heads there are', async () => {
  const findings = new Findings();
  const log = trustLog(
    whole.entries[0] as Uint8Array,
    OPEN_POLICY,
    undefined,
    ENVIRONMENT,
    findings,
  );
  const open = openCheckpoint(whole.checkpoint, findings);
  assert.ok(log !== undefined && open !== undefined);
  let hashed = 0;
  const sha256: typeof nodeSha256 = (bytes) => {
    hashed += 1;
    return nodeSha256(bytes);
  };
  const closing = new Map(
    [...whole.closing].map(([number, note]) => [
      number,
      { note, root: openCheckpoint(note, findings)?.checkpoint.root },
    ]),
  );
  await judgeHead(
    open,
    log,
    { terms, closing, holdsPin: false },
    { policy: OPEN_POLICY, pin: undefined },
    { ...ENVIRONMENT, sha256 },
    findings,
    new NotCheckedList(),
  );
  assert.deepEqual(findings.list, []);
  // And that of the newest one for the verdict.
  const perKey = ((): number => {
    const before = hashed;
    new LogKeys(firstTerms(log.genesis), sha256).of(1);
    return hashed - before;
  })();
  assert.equal(hashed - perKey, (terms.length + 1) * perKey);
});

test('closing heads: one that is longer than any note is not kept', async () => {
  for (const [length, kept] of [
    [MAX_NOTE_BYTES, 1],
    [MAX_NOTE_BYTES + 1, 0],
  ] as const) {
    const heads = new ClosingHeads(() => Promise.resolve(new Uint8Array(length)));
    await heads.take(0, 5, () => undefined);
    assert.equal(heads.found.size, kept);
  }
});
