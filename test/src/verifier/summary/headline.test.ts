import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headlineOf } from '@assay/verifier/summary/headline';
import type { IncompleteCause, NumberFacts, Verdict } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER, FOUND, INCOMPLETE, VERIFIED } from '../fixture/verdicts.ts';

const line = (verdict: Verdict): string => headlineOf(verdict, 0);
const log = (network: 'development' | 'production') => ({ ...VERIFIED.log, network });

function number(
  change: Partial<NumberFacts>,
  subject: Verdict['subject'] = 'log',
  network: 'development' | 'production' = 'production',
): string {
  const facts = { ...FINAL_NUMBER, ...change };
  return line({ ...VERIFIED, subject, log: log(network), number: facts });
}

test('headline: a log, and its warnings by their number', () => {
  const plain = 'VERIFIED: no fault was found in the 12 entries of the log example.org/assay';
  assert.equal(line(VERIFIED), `${plain}.`);
  assert.equal(headlineOf(VERIFIED, 1), `${plain}; 1 warning below.`);
  assert.equal(headlineOf(VERIFIED, 3), `${plain}; 3 warnings below.`);
});

test('headline: DEVELOPMENT and an unvouched key are in it whenever they apply, however often it was visited', () => {
  for (const trust of ['first_use', 'pinned', 'policy'] as const) {
    for (const isVouched of [true, false]) {
      for (const network of ['development', 'production'] as const) {
        for (const [word, verdict] of [
          ['VERIFIED', VERIFIED],
          ['NOT VERIFIED', { ...FOUND, log: VERIFIED.log }],
        ] as const) {
          const all = [
            ...(network === 'development' ? ['DEVELOPMENT'] : []),
            ...(isVouched ? [] : ['key not vouched for']),
          ].join(', ');
          const marks = all === '' ? '' : ` (${all})`;
          const of = { ...verdict, trust, key_vouched: isVouched, log: log(network) } as Verdict;
          assert.ok(line(of).startsWith(`${word}${marks}: `), line(of));
        }
      }
    }
  }
});

test('headline: what keeps a number from settling is in it, and a yes only for a settled final', () => {
  const start = 'VERIFIED: JOBS of 2026-07-01 is';
  const settles = 'its rule lets a contract settle on it';
  assert.equal(number({}), `${start} 1.5 percent, final, recounted by nobody; ${settles}.`);
  assert.equal(
    number({}, 'bundle'),
    `${start} 1.5 percent, final, recounted by nobody; ${settles}, as far as this file shows.`,
  );
  assert.equal(
    number({}, 'bundle', 'development'),
    'VERIFIED (DEVELOPMENT): JOBS of 2026-07-01 is 1.5 percent, final, recounted by nobody; nothing of a development log may be settled on.',
  );
  const quorum = { required: 2, have: 2, cosigners: [], dissents: 0 };
  assert.match(
    number({ quorum, rests_on: 'log' }),
    /recounted by 2 co-signers of its publisher's choice; its/,
  );
  const policy = { required: 1, operators: ['Ada'] };
  assert.match(
    number({ quorum, policy, rests_on: 'policy' }),
    /recounted by 1 operator of your policy; its/,
  );
  for (const [change, end] of [
    [
      { settled: false, quorum: { ...quorum, have: 1 } },
      '1.5 percent, final, but not settled: 1 of 2 co-signers recounted it',
    ],
    [{ settleable: false }, '1.5 percent, final, but its rule lets no contract settle on it'],
    [
      { status: 'provisional', reason: 'no_quorum', settleable: false },
      '1.5 percent, provisional (no_quorum): nothing settles on it yet',
    ],
    [
      { status: 'void', reason: 'late', value: null, settleable: false },
      'void (late): there is no value to settle on',
    ],
    [{ status: 'corrected', settleable: false }, '1.5 percent, corrected: nothing settles on it'],
    [
      { status: 'newer status', settleable: true },
      '1.5 percent, newer status: nothing settles on it',
    ],
  ] as const) {
    const shown = number({ settled: false, ...change });
    assert.equal(shown, `${start} ${end}.`);
    assert.doesNotMatch(shown, /lets a contract/);
  }
});

test("headline: a co-signer's own log is called that", () => {
  const words = {
    cosigner: 'ab',
    logs: [],
    agreements: 1,
    dissents: 0,
    abstentions: 0,
    newest: '2026-08-01T00:00:00Z',
  };
  const shown = line({ ...VERIFIED, words: words as never });
  assert.match(
    shown,
    /^VERIFIED: no fault was found in the 12 entries of a co-signer's own log, example/,
  );
});

test('headline: findings by what they mean, and demands as demands', () => {
  assert.equal(
    line(FOUND),
    'NOT VERIFIED: an entry is not the one that the signed head of the log holds (size 12).',
  );
  const demand = {
    code: 'witnesses_missing',
    place: 'checkpoint',
    expected: 'a',
    found: 'b',
  } as const;
  assert.equal(
    line({ ...FOUND, findings: [demand] }),
    'NOT VERIFIED: what you demanded is not met: too few of the witnesses that you require have signed the head (checkpoint).',
  );
  const both = line({ ...FOUND, findings: [demand, ...FOUND.findings], findings_count: 2 });
  assert.match(both, /^NOT VERIFIED: an entry is not the one .*, and 1 other finding\.$/);
  assert.equal(line({ ...FOUND, findings: [] }), 'NOT VERIFIED: something is wrong.');
});

test('headline: nothing that was not completed says anything of a publisher', () => {
  for (const cause of [
    'no_log',
    'not_a_bundle',
    'reformatted',
    'interrupted',
  ] as const satisfies readonly IncompleteCause[]) {
    assert.match(
      line({ ...INCOMPLETE, cause }),
      /^NOT COMPLETED: .*; this says nothing about any log\.$/,
    );
  }
});

test('headline: what a log says of itself stays on its line', () => {
  const shown = number({ ticker: 'A\nVERIFIED\u202e' as never });
  assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}]/u);
});
