import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedText, mainChecks } from '@assay/verifier/summary/checked-text';
import { TIE } from '@assay/verifier/summary/words';
import { emptyTally } from '@assay/verifier/verdict/verdict';

const plain = (text: string): string => text.replaceAll(TIE, ' ');

test('checked: every count has its noun, and nothing is called nothing', () => {
  assert.equal(checkedText(emptyTally()), 'nothing');
  const names = Object.keys(emptyTally()) as (keyof ReturnType<typeof emptyTally>)[];
  for (const name of names) {
    const one = plain(checkedText({ ...emptyTally(), [name]: 1 }));
    const many = plain(checkedText({ ...emptyTally(), [name]: 1234 }));
    assert.match(one, /^1 \w/, name);
    assert.match(many, /^1,234 \w/, name);
    assert.notEqual(one.slice(2), many.slice(6), name);
  }
});

test('checked: few counts are all of them, of many the main ones', () => {
  const few = { ...emptyTally(), entries: 2, tiles: 1 };
  assert.equal(mainChecks(few), checkedText(few));
  const many = { ...few, rules: 1, reports: 3, signatures: 4, blobs: 5, prints: 1 };
  assert.equal(plain(mainChecks(many)), '2 entries, 3 reports, 4 signatures');
});
