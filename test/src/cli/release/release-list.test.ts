import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatReleaseList,
  parseReleaseList,
  type ReleaseList,
} from '@assay/cli/release/release-list';
import type { HashHex } from '@assay/core/hash/hash';
import fc from 'fast-check';

const hash = (byte: string): HashHex => byte.repeat(32) as HashHex;
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const LIST: ReleaseList = {
  version: '0.1.0',
  commit: COMMIT,
  files: [
    { name: 'assay-core-0.1.0.tgz', sha256: hash('ab') },
    { name: 'assay-verifier-0.1.0.tgz', sha256: hash('cd') },
  ],
};
const TEXT = `assay release 0.1.0
commit ${COMMIT}
${hash('ab')}  assay-core-0.1.0.tgz
${hash('cd')}  assay-verifier-0.1.0.tgz
`;

test('release list: the text and what it says', () => {
  assert.equal(formatReleaseList(LIST), TEXT);
  assert.deepEqual(parseReleaseList(TEXT), LIST);
});

test('release list: whatever is written is read again', () => {
  const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/);
  const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(fc.dictionary(name, sha256, { maxKeys: 20 }), (byName) => {
      const files = Object.keys(byName)
        .sort()
        .map((each) => ({ name: each, sha256: byName[each] as HashHex }));
      const list = { version: '10.20.30', commit: COMMIT, files };
      assert.deepEqual(parseReleaseList(formatReleaseList(list)), list);
    }),
  );
});

test('release list: any other text is malformed, at its line', () => {
  const [version, commit, a, b] = TEXT.split('\n') as [string, string, string, string];
  const first = `${version}\n${commit}`;
  const cases: readonly (readonly [string, string])[] = [
    ['', 'line 1'],
    [TEXT.replace('0.1.0\n', '0.1\n'), 'line 1'],
    [`${version}\n${a}\n${b}\n`, 'line 2'],
    [TEXT.replace(COMMIT, COMMIT.slice(1)), 'line 2'],
    [TEXT.replace(COMMIT, COMMIT.toUpperCase()), 'line 2'],
    [TEXT.replace('commit', 'tree'), 'line 2'],
    [`${version}\n`, 'line 2'],
    [TEXT.trimEnd(), 'the last line'],
    [`${first}\n${b}\n${a}\n`, 'line 4'],
    [`${first}\n${a}\n${a}\n`, 'line 4'],
    [TEXT.replace('  ', ' '), 'line 3'],
    [TEXT.replace(hash('ab'), hash('AB')), 'line 3'],
    [TEXT.replace('assay-core', '../core'), 'line 3'],
    [TEXT.replace('assay-core', '.core'), 'line 3'],
    [`${TEXT}\n`, 'line 5'],
    [`${first}\n${`${a}\n`.repeat(101)}`, 'files'],
  ];
  for (const [text, at] of cases) {
    assert.throws(() => parseReleaseList(text), { code: 'malformed', at }, JSON.stringify(text));
  }
});
