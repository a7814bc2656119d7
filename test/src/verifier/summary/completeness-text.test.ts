import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexText } from '@assay/verifier/summary/completeness-text';
import { TIE } from '@assay/verifier/summary/words';
import type { IndexFacts, NumberFacts } from '@assay/verifier/verdict/verdict';

const FACTS: IndexFacts = {
  day: '2026-07-30',
  seq: 231,
  at: '2026-07-31T00:00:12Z',
  prints: 118,
  rules: 1,
  provisional: 1,
  settled: 'final',
  corrected: 0,
  followed: false,
};

function numberOf(status: string, index: Partial<IndexFacts> | null): NumberFacts {
  return {
    status,
    corrections: null,
    index: index === null ? null : { ...FACTS, ...index },
  } as never;
}

const plain = (number: NumberFacts): string => indexText(number).replaceAll(TIE, ' ');

test('completeness text: what is proven of a number, and what is not', () => {
  const entry = 'in the index entry of 2026-07-30 (entry 231, 118 prints)';
  assert.equal(plain(numberOf('final', {})), `the only final or void of its period ${entry}`);
  assert.equal(
    plain(numberOf('void', { settled: 'void', prints: 1 })),
    'the only final or void of its period in the index entry of 2026-07-30 (entry 231, 1 print)',
  );
  assert.equal(
    plain(numberOf('final', { corrected: 2, followed: true })),
    `the only final or void of its period ${entry}; 2 corrections of it there`,
  );
  assert.equal(
    plain(numberOf('provisional', { settled: null })),
    `its period has no final and no void, 1 provisional, 0 corrections ${entry}`,
  );
  assert.equal(
    plain(numberOf('corrected', { corrected: 1 })),
    `its period has one final, 1 provisional, 1 correction ${entry}`,
  );
  assert.match(plain(numberOf('final', null)), /^no proof from an index entry: another final/);
});
