import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropBlanks, isBlank, trimBlanks } from '@assay/core/bytes/blank';
import fc from 'fast-check';

const LIST = [
  0x9, 0xa, 0xb, 0xc, 0xd, 0x20, 0xa0, 0x2007, 0x2008, 0x2009, 0x200a, 0x200b, 0x202f, 0x3000,
  0xfeff,
];

test('blank: the closed list and nothing else', () => {
  const found: number[] = [];
  for (let code = 0; code < 0x10000; code += 1) {
    const blank = isBlank(code);
    if (blank) found.push(code);
    const character = String.fromCharCode(code);
    assert.equal(dropBlanks(`a${character}b`).length, blank ? 2 : 3);
    assert.equal(trimBlanks(`${character}a${character}`).length, blank ? 1 : 3);
  }
  assert.deepEqual(found, LIST);
});

test('blank: trimming leaves what is inside', () => {
  const text = fc
    .array(fc.constantFrom('a', ' ', '\u00a0', '\t', '\u2028'))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, (each) => {
      const trimmed = trimBlanks(each);
      assert.ok(each.includes(trimmed));
      assert.equal(dropBlanks(trimmed), dropBlanks(each));
      assert.equal(trimBlanks(trimmed), trimmed);
      assert.ok(
        trimmed === '' ||
          !(isBlank(trimmed.charCodeAt(0)) || isBlank(trimmed.charCodeAt(trimmed.length - 1))),
      );
    }),
  );
});
