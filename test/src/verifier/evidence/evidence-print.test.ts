import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PrintsEvidence, StatementsEvidence } from '@assay/core/proof/evidence';
import { provenPrints, provenStatements } from '@assay/verifier/evidence/evidence-print';
import { Unproven } from '@assay/verifier/evidence/evidence-verdict';
import { FINAL, NEEDS, OTHER_FINAL } from '../fixture/evidence-files.ts';
import {
  COSIGNER,
  DISSENT,
  LOG_ID,
  made,
  printsOf,
  PUBLISHER,
  reportOf,
  statementEntryOf,
  statementsOf,
} from '../fixture/evidence-world.ts';

const prints = (...args: Parameters<typeof printsOf>): PrintsEvidence =>
  made(printsOf(...args)) as PrintsEvidence;

test('evidence of prints: what was signed, as text', async () => {
  const cases = [
    [
      FINAL,
      OTHER_FINAL,
      'LAYOFFS, 2026-07-25: final, 218000 with 0 decimals; final, 219000 with 0',
    ],
    [FINAL, reportOf('void', { period: '2026-07-25' }), '; void'],
    [
      reportOf('withheld'),
      reportOf('withheld', { published_at: '2026-08-08T00:00:00Z' }),
      'final, withheld; final, withheld',
    ],
    [
      reportOf('corrected'),
      reportOf('corrected', { value: '1' }),
      'corrected 1, 1 with 0 decimals',
    ],
  ] as const;
  for (const [a, b, words] of cases) {
    const { says } = await provenPrints(prints(a, b), NEEDS);
    assert.ok(says.includes(words), says);
  }
  const { says, log } = await provenPrints(prints(FINAL, OTHER_FINAL, PUBLISHER, false), NEEDS);
  assert.match(says, /of series [0-9a-f]{64}, 2026-07-25/);
  assert.equal(log, null);
});

test('evidence of prints: a co-signer is not taken for the publisher', async () => {
  const own = await provenPrints(prints(FINAL, OTHER_FINAL, COSIGNER), NEEDS);
  assert.deepEqual(own.accused, [{ role: 'signer', key: COSIGNER.key, name: null }]);
  assert.equal(own.log, LOG_ID);
  assert.equal(own.open.length, 3);
  assert.match(
    own.open.join('\n'),
    /a later report key of its publisher, which `key\/1` entries lead to/,
  );
});

test('evidence of prints: another genesis is of another series', async () => {
  const evidence = prints(FINAL, OTHER_FINAL);
  const genesis = Buffer.from(evidence.log?.genesis ?? '', 'base64').toString();
  const forged = Buffer.from(genesis.replace(PUBLISHER.key, COSIGNER.key)).toString('base64');
  await assert.rejects(
    provenPrints({ ...evidence, log: { genesis: forged, ticker: FINAL.ticker } }, NEEDS),
    (error) => error instanceof Unproven && error.code === 'genesis',
  );
});

test('evidence of statements: which reports', async () => {
  const said = (a: ReturnType<typeof statementEntryOf>, b: typeof a): StatementsEvidence =>
    made(statementsOf(a, b)) as StatementsEvidence;
  const one = await provenStatements(
    said(statementEntryOf(FINAL), statementEntryOf(FINAL, DISSENT)),
    NEEDS,
  );
  assert.match(one.says, /^one co-signer agreed to report [0-9a-f]{64} and dissented from it$/);
  const two = await provenStatements(
    said(statementEntryOf(FINAL), statementEntryOf(OTHER_FINAL)),
    NEEDS,
  );
  assert.match(two.says, /of reports ([0-9a-f]{64}) and (?!\1)[0-9a-f]{64}$/);
});
