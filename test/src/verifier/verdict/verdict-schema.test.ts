import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FINDING_CODES } from '@assay/verifier/verdict/finding';
import { noReservations, RESERVATION_CLASSES } from '@assay/verifier/verdict/reservation';
import { emptyTally, type Verdict } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER, FOUND, INCOMPLETE, VERIFIED } from '../fixture/verdicts.ts';
import { requireVerdict, VERDICT_SCHEMA } from '../fixture/verdict-schema.ts';

const isVerdict = new Ajv2020().compile(VERDICT_SCHEMA);

test('verdict schema: each outcome, with and without what may be null', () => {
  for (const verdict of [VERIFIED, FOUND, INCOMPLETE, { ...VERIFIED, number: FINAL_NUMBER }]) {
    assert.ok(isVerdict(verdict), JSON.stringify(isVerdict.errors?.slice(0, 2)));
    requireVerdict(verdict as Verdict);
  }
});

test('verdict schema: what breaks it is refused, and what is added is not', () => {
  assert.ok(isVerdict({ ...VERIFIED, added: 1 }));
  assert.throws(() => requireVerdict({ ...VERIFIED, added: 1 } as never), /not as its schema says/);
  for (const broken of [
    { ...VERIFIED, outcome: 'yes' },
    { ...VERIFIED, type: 'assay-verdict/2' },
    { ...VERIFIED, log: null },
    { ...VERIFIED, key_vouched: undefined },
    { ...VERIFIED, number: { ...FINAL_NUMBER, settled: 'yes' } },
    { ...VERIFIED, not_checked: [{ class: 'scope', what: 'a', why: 'b' }] },
    { ...FOUND, findings: [] },
    { ...FOUND, findings: [{ ...FOUND.findings[0], code: 'no_code' }] },
    { ...INCOMPLETE, cause: 'bored' },
    {},
  ]) {
    assert.equal(
      isVerdict(JSON.parse(JSON.stringify(broken))),
      false,
      JSON.stringify(broken).slice(0, 120),
    );
  }
});

test('verdict schema: its lists are those of the code', () => {
  const { $defs } = VERDICT_SCHEMA as unknown as {
    readonly $defs: Readonly<
      Record<
        string,
        { readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>> }
      >
    >;
  };
  assert.deepEqual($defs['finding']?.properties['code']?.enum, FINDING_CODES);
  assert.deepEqual($defs['reservation']?.properties['class']?.enum, RESERVATION_CLASSES);
  assert.deepEqual(Object.keys($defs['checked']?.properties ?? {}), Object.keys(emptyTally()));
  assert.deepEqual(
    Object.keys($defs['reservations']?.properties ?? {}),
    Object.keys(noReservations()),
  );
});
