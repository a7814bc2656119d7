import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NumberFacts } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER } from '../../verifier/fixture/verdicts.ts';

interface Texts {
  readonly numberText: (facts: NumberFacts) => string;
  readonly settlementText: (facts: NumberFacts, isDevelopment: boolean) => string;
}

const { numberText, settlementText } = (await import(
  new URL('../../../../../node/browser/dist/number-text.js', import.meta.url).href
)) as Texts;

const number = (change: Partial<NumberFacts>): NumberFacts => ({ ...FINAL_NUMBER, ...change });
const text = (change: Partial<NumberFacts>): string => settlementText(number(change), false);
const quorum = { required: 2, have: 2, cosigners: [], dissents: 0 };

test('number text: a settled final says who recounted it, and nothing more', () => {
  assert.equal(numberText(FINAL_NUMBER), 'JOBS: 1.5 percent');
  assert.equal(text({}), '2026-07-01, final, recounted by nobody. Verified in this browser.');
  assert.equal(
    settlementText(number({ quorum }), true),
    'DEVELOPMENT: settle nothing on it. 2026-07-01, final, 2 of 2 recounters agreed. Verified in this browser.',
  );
});

test('number text: what keeps money from settling on a number is never left out', () => {
  const few = { ...quorum, have: 1 };
  assert.match(text({ quorum: few, settled: false }), /1 of 2 .* It is not settled yet\./);
  assert.match(
    text({ settleable: false, settled: false }),
    /Its rule lets no contract settle on it\./,
  );
  for (const status of ['provisional', 'corrected', 'void']) {
    assert.match(text({ status }), /Nothing settles on it\./, status);
  }
  assert.equal(
    numberText(number({ status: 'void', value: null })),
    'JOBS: void, there is no value',
  );
});

test('number text: a recounter who counted another number is named, in the log or on chain', () => {
  const against = { ...quorum, dissents: 1 };
  assert.match(text({ quorum: against }), /2 of 2 recounters agreed, 1 counted another number\./);
  const account = { dissent: true } as NumberFacts['account'];
  assert.match(text({ quorum, account }), /agreed, one on chain counted another number\./);
});
