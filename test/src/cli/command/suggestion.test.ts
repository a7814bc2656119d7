import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean, editDistance } from '@assay/cli/command/suggestion';

test('the edits between two words', () => {
  for (const [a, b, edits] of [
    ['', '', 0],
    ['', 'abc', 3],
    ['verify', 'verify', 0],
    ['verfiy', 'verify', 1],
    ['verify', 'verif', 1],
    ['export', 'import', 2],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 3],
  ] as const) {
    assert.equal(editDistance(a, b), edits, `${a} ${b}`);
    assert.equal(editDistance(b, a), edits, `${b} ${a}`);
  }
});

test('what is near is offered, the nearest alone, and three at most', () => {
  const commands = ['verify', 'watch', 'export', 'recover', 'recount', 'rebuild', 'restore'];
  assert.equal(didYouMean('verfiy', commands), '; did you mean verify?');
  assert.equal(didYouMean('recoumt', commands), '; did you mean recount?');
  assert.equal(didYouMean('recounr', ['recount', 'recounp']), '; did you mean recount or recounp?');
  assert.equal(didYouMean('xa', ['xb', 'xc', 'xd', 'xe']), '; did you mean xb or xc or xd?');
  assert.equal(didYouMean('--jsom', ['--json', '--help']), '; did you mean --json?');
});

test('the beginning of a longer word is near it; a word far from all is not', () => {
  assert.equal(
    didYouMean('--witness-max', ['--witness-max-age']),
    '; did you mean --witness-max-age?',
  );
  for (const word of ['', 'x', '-x', 'frobnicate', 'ex']) {
    assert.equal(didYouMean(word, ['export', 'verify', '--json']), '', word);
  }
});
