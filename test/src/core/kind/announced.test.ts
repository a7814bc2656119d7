import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ANNOUNCED_KINDS, newerFormat, readableKind, RELEASE } from '@assay/core/kind/announced';
import { bodyParser, isListedKind } from '@assay/core/kind/kinds';
import { RULE_SPECS } from '@assay/core/rule/rule';
import type { WireObject } from '@assay/core/wire/wire';
import { ROOT, sha256, vectors } from '../fixture/fixture.ts';

test('announced: the release is the one that every package names', async () => {
  for (const name of ['core', 'verifier', 'chain', 'node', 'cli']) {
    const { version } = JSON.parse(
      await readFile(join(ROOT, name, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    assert.equal(version, RELEASE, name);
  }
});

test('announced: a kind that this release was to read, or reads, is not announced', () => {
  const parse = bodyParser(sha256);
  const numbersOf = (release: string): readonly number[] => release.split('.').map(Number);
  const [major = 0, minor = 0] = numbersOf(RELEASE);
  // None at present. The mechanism stays, and the next test has a kind in it.
  for (const [kind, since] of ANNOUNCED_KINDS) {
    assert.equal(isListedKind(kind), true, kind);
    assert.equal(parse(kind, {}), undefined, kind);
    const [sinceMajor = 0, sinceMinor = 0] = numbersOf(since);
    assert.ok(sinceMajor > major || (sinceMajor === major && sinceMinor > minor), kind);
  }
  assert.equal(ANNOUNCED_KINDS.has('key/2'), false);
});

test('announced: a kind is named with the release that reads it', () => {
  assert.equal(
    readableKind('rumour/1', new Map([['rumour/1', '0.9.0']])),
    `a kind that release ${RELEASE} reads; release 0.9.0 and later read this one`,
  );
});

test('announced: of any other kind no release is known', () => {
  for (const kind of ['report/2', 'question/2', 'rumour/1']) {
    assert.equal(
      readableKind(kind),
      `a kind that release ${RELEASE} reads; it knows of no release that reads this one`,
    );
  }
});

test('announced: the formats of the entry vectors are read, and their next versions are newer', () => {
  let count = 0;
  for (const { entry } of vectors<{ entry: { kind: string; body: WireObject } }[]>(
    'entry/entries',
  )) {
    assert.equal(newerFormat(entry.kind, entry.body), undefined, entry.kind);
    count += 1;
  }
  assert.ok(count > 0);
  for (const spec of RULE_SPECS) assert.equal(newerFormat('rule/1', { rule: { spec } }), undefined);
  for (const [kind, body, name] of NEWER) assert.equal(newerFormat(kind, body), name);
});

/** Bodies of a later release, and the format that makes them so. */
const NEWER: readonly (readonly [string, WireObject, string])[] = [
  ['rule/1', { rule: { spec: 'assay-rule/3' } }, 'assay-rule/3'],
  ['report/1', { report: { type: 'assay-report/2' } }, 'assay-report/2'],
  ['score-rule/1', { rule: { type: 'assay-score-rule/3' } }, 'assay-score-rule/3'],
  ['arena-rule/1', { rule: { type: 'assay-arena-rule/2' } }, 'assay-arena-rule/2'],
  [
    'statement/1',
    { signature: '', statement: { type: 'assay-statement/17' } },
    'assay-statement/17',
  ],
];

test('announced: what is no later version of a format that a body holds is not newer', () => {
  for (const spec of ['assay-rule/0', 'assay-rule/03', 'assay-rule', 'assay-report/2', 3, null]) {
    assert.equal(newerFormat('rule/1', { rule: { spec } }), undefined, String(spec));
  }
  assert.equal(newerFormat('rule/1', { spec: 'assay-rule/3' }), undefined);
  assert.equal(newerFormat('rule/1', { rule: ['assay-rule/3'] }), undefined);
  assert.equal(newerFormat('rule/1', { rule: { type: 'assay-rule/3' } }), undefined);
});

test('announced: a format in a kind or a member that does not hold it makes nothing newer', () => {
  for (const [kind, body] of NEWER) {
    for (const other of ['key/1', 'beacon/1', 'note/1', 'report/2'])
      assert.equal(newerFormat(other, body), undefined, `${kind} as ${other}`);
    assert.equal(newerFormat(kind, { x: Object.values(body).at(-1) as WireObject }), undefined);
  }
  const report = { report: { type: 'assay-report/1', spec: 'assay-rule/99' } };
  assert.equal(newerFormat('report/1', report), undefined);
});
