import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { PORTABLE } from '@assay/verifier/verdict/environment';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { isVerified } from '@assay/verifier/verdict/verdict';
import { type Subject, verify, type VerifyOptions } from '@assay/verifier/verify';
import { wireBytes } from './fixture/forge.ts';
import { bundleOf } from './fixture/misdeeds.ts';
import {
  ENVIRONMENT,
  folderOf,
  folderReader,
  siteOf,
  siteReader,
  youngLog,
} from './fixture/published.ts';
import { sampleLog } from './fixture/sample-log.ts';

const young = youngLog(await sampleLog());
const SUBJECTS: readonly Subject[] = [
  { kind: 'log', reader: siteReader(siteOf(young)) },
  { kind: 'folder', folder: folderReader(folderOf(young)) },
  { kind: 'bundle', bytes: wireBytes(await bundleOf(young)) },
];

/** Verdicts on every kind of subject. */
function judgeAll(options: VerifyOptions): Promise<readonly Awaited<ReturnType<typeof verify>>[]> {
  return Promise.all(SUBJECTS.map((subject) => verify(subject, OPEN_POLICY, options)));
}

test('what a browser has and what Node has give the same verdict', async () => {
  const [portable, node] = [await judgeAll({}), await judgeAll({ environment: ENVIRONMENT })];
  assert.deepEqual(portable, node);
  assert.equal(portable.every(isVerified), true);
  assert.deepEqual(
    portable.map(({ subject }) => subject),
    ['log', 'folder', 'bundle'],
  );
  // A verdict is plain data.
  assert.deepEqual(JSON.parse(JSON.stringify(portable)), portable);
});

test('without an environment the portable one is used', async () => {
  const verdict = await verify(SUBJECTS[2] as Subject, OPEN_POLICY, { environment: PORTABLE });
  assert.deepEqual(verdict, await verify(SUBJECTS[2] as Subject, OPEN_POLICY));
});

test('a signature that cannot be checked is not a good one', async () => {
  const broken = { ...ENVIRONMENT, verifySignature: () => Promise.reject(new Error('no crypto')) };
  for (const verdict of await judgeAll({ environment: broken })) {
    assert.equal(verdict.outcome, 'incomplete');
  }
  // The checkpoint's can be checked, the reports' cannot: their answers come late and are awaited.
  let left = 1;
  const later = {
    ...ENVIRONMENT,
    verifySignature: async (...given: Parameters<typeof ENVIRONMENT.verifySignature>) => {
      left -= 1;
      if (left >= 0) return ENVIRONMENT.verifySignature(...given);
      throw new Error('no crypto');
    },
  };
  const verdict = await verify(SUBJECTS[0] as Subject, OPEN_POLICY, { environment: later });
  assert.equal(verdict.outcome, 'incomplete');
  assert.equal(verdict.outcome === 'incomplete' && verdict.reason, 'no crypto');
});

test('no signature is good enough', async () => {
  const none = { ...ENVIRONMENT, verifySignature: () => Promise.resolve(false) };
  for (const verdict of await judgeAll({ environment: none })) {
    assert.equal(verdict.outcome, 'findings');
  }
});

test('pins that cannot be read are not "never seen before"', async () => {
  const broken = { pins: () => Promise.reject(new Error('the pins are broken')) };
  for (const verdict of await judgeAll(broken)) {
    assert.equal(verdict.outcome, 'incomplete');
    assert.equal(verdict.outcome === 'incomplete' && verdict.reason, 'the pins are broken');
  }
});

test('a reader of progress that throws leaves it open', async () => {
  const environment = {
    ...ENVIRONMENT,
    progress: () => {
      throw new Error('enough');
    },
  };
  const verdict = await verify(SUBJECTS[0] as Subject, OPEN_POLICY, { environment });
  assert.equal(verdict.outcome, 'incomplete');
});

test('a folder that cannot be read to its end leaves it open', async () => {
  const folder = folderOf(young);
  const reader = {
    ...folderReader(folder),
    async *rows() {
      yield* folder.rows.slice(0, 5);
      throw new Error('input/output error');
    },
  };
  const verdict = await verify({ kind: 'folder', folder: reader }, OPEN_POLICY, {
    environment: ENVIRONMENT,
  });
  assert.equal(verdict.outcome, 'incomplete');
});

test('deep, broken and odd JSON is no bundle', async () => {
  for (const text of [
    '',
    'null',
    '[]',
    '"',
    '['.repeat(2_000_000),
    `{"account":${'['.repeat(100_000)}`,
    '\ufeff{}',
    '{"__proto__":{"type":"assay-bundle/1"}}',
  ]) {
    const verdict = await verify({ kind: 'bundle', bytes: formatUtf8(text) }, OPEN_POLICY);
    assert.equal(verdict.outcome, 'incomplete', text.slice(0, 20));
    assert.equal(verdict.outcome === 'incomplete' && verdict.cause, 'not_a_bundle');
  }
});
