import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Findings } from '@assay/verifier/verdict/finding';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import {
  conclude,
  type Ending,
  interrupted,
  openSession,
  type Session,
} from '@assay/verifier/subject/session';
import { type TrustedKey, trustLog } from '@assay/verifier/trust/trust';
import { ENVIRONMENT } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const genesis = (await sampleLog()).entries[0] as Uint8Array;
const leaf: Hash = leafHash(nodeSha256, genesis);
const trusted = trustLog(genesis, OPEN_POLICY, undefined, ENVIRONMENT, new Findings());
const ENDING: Ending = {
  trusted: trusted as TrustedKey,
  logId: leaf,
  size: 1,
  root: leaf,
  number: null,
  bitcoin: null,
  witnesses: { required: 0, witnesses: [] },
};

function session(subject: Session['subject'] = 'log'): Session {
  const pins = (): Promise<undefined> => Promise.resolve(undefined);
  return openSession(subject, OPEN_POLICY, pins, ENVIRONMENT, DEFAULT_LIMITS, undefined, []);
}

test('a yes needs a whole ending and no finding', () => {
  assert.equal(conclude(session(), ENDING).outcome, 'verified');
  assert.equal(conclude(session(), undefined).outcome, 'incomplete');
  const found = session();
  found.findings.add('root_differs', 'size 1', 'a', 'b');
  const verdict = conclude(found, ENDING);
  assert.equal(verdict.outcome, 'findings');
  // The log is named all the same: somebody has to be told.
  assert.equal(verdict.outcome === 'findings' && verdict.log?.size, 1);
  assert.equal(conclude(found, undefined).outcome, 'findings');
});

test('what was computed from kept bytes rests on claims, and they are named', () => {
  assert.deepEqual(conclude(session(), ENDING).not_checked, []);
  const read = session();
  read.tally.reads_reexecuted = 2;
  assert.deepEqual(
    conclude(read, ENDING).not_checked.map(({ what }) => what),
    ['that the times are true', 'that the sources gave the kept bytes'],
  );
});

test('a log and a folder leave a pin, a bundle none', () => {
  for (const [subject, pinned] of [
    ['log', true],
    ['folder', true],
    ['bundle', false],
  ] as const) {
    const verdict = conclude(session(subject), ENDING);
    assert.equal(verdict.outcome === 'verified' && verdict.pin !== null, pinned, subject);
  }
});

test('what ended a verification is reported, and does not undo what was found', () => {
  const quiet = interrupted(session(), new Error('gone\u001b[2J'));
  assert.equal(quiet.outcome === 'incomplete' && quiet.reason, 'gone\\u{1b}[2J');
  assert.equal(interrupted(session(), 'a word').outcome, 'incomplete');
  const found = session();
  found.findings.add('root_differs', 'size 1', 'a', 'b');
  const verdict = interrupted(found, new Error('gone'));
  assert.equal(verdict.outcome, 'findings');
  assert.deepEqual(verdict.not_checked, [
    { class: 'completeness', what: 'everything after this point', why: 'gone', remedy: 'again' },
  ]);
});

test('a verdict stays as it was given', () => {
  const open = session();
  open.findings.add('root_differs', 'size 1', 'a', 'b');
  const verdict = conclude(open, ENDING);
  const before = JSON.stringify(verdict);
  open.findings.add('root_differs', 'size 2', 'a', 'b');
  open.tally.entries += 1;
  open.notChecked.add('scope', 'more', 'late', 'none');
  assert.equal(JSON.stringify(verdict), before);
});
