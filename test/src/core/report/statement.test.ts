import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import { reportHash } from '@assay/core/report/report';
import {
  BASES,
  formatStatement,
  parseStatement,
  statementHash,
  statementMessage,
  VERDICTS,
} from '@assay/core/report/statement';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { parseWire, type WireObject } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { HANDS, recountedReport, statementOf } from '../fixture/cosigner-fixture.ts';
import { sha256, vectors } from '../fixture/fixture.ts';

interface StatementVector {
  readonly name: string;
  readonly statement: WireObject;
  readonly canonical: string;
  readonly hash: string;
  readonly message_sha256: string;
}
const STATEMENTS = vectors<readonly StatementVector[]>('statement/statements');

test('statement: exact bytes, hash and message', () => {
  for (const { name, statement, canonical, hash, message_sha256 } of STATEMENTS) {
    const parsed = parseStatement(statement, 'statement');
    assert.equal(Buffer.from(formatStatement(parsed)).toString(), canonical, name);
    assert.equal(statementHash(sha256, parsed), hash, name);
    const message = statementMessage(parsed);
    assert.equal(Buffer.from(message).toString(), `assay/statement/v1\0${canonical}`, name);
    assert.equal(formatHex(sha256(message)), message_sha256, name);
    assert.deepEqual(parseStatement(parseWire(formatUtf8(canonical)), 'statement'), parsed);
  }
});

test('statement: members that exclude each other are refused, with their place', () => {
  interface Refused {
    readonly name: string;
    readonly change: WireObject;
    readonly at: string;
  }
  const { statement: good } = STATEMENTS[0] as StatementVector;
  for (const { name, change, at } of vectors<readonly Refused[]>('statement/refused')) {
    assert.throws(
      () => parseStatement({ ...good, ...change }, 'statement'),
      { code: 'malformed', at },
      name,
    );
  }
  for (const member of Object.keys(good)) {
    const { [member]: _gone, ...rest } = good;
    assert.throws(
      () => parseStatement(rest, 'statement'),
      { code: 'malformed', at: 'statement' },
      member,
    );
  }
});

test('statement: a withheld print carries no number of anybody', () => {
  const report = recountedReport('withheld');
  assert.equal(statementOf(report, HANDS[0]).own?.value, null);
  assert.throws(
    () => statementOf(report, HANDS[0], { own: { value: '0', status: 'final', reads: [] } }),
    { code: 'malformed', at: 'statement.own' },
  );
});

test('statement: whatever is taken holds together and keeps its bytes', () => {
  const reports = ['provisional', 'final', 'corrected', 'void'].map((name) =>
    recountedReport(name),
  );
  const recounted = fc.record({
    value: fc.constantFrom(null, '0', '217000', '218000'),
    status: fc.constantFrom('provisional', 'final', 'void'),
  });
  let taken = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...reports),
      fc.record({
        verdict: fc.constantFrom(...VERDICTS),
        basis: fc.constantFrom(...BASES),
        kept: fc.option(recounted),
        own: fc.option(recounted.map((each) => ({ ...each, reads: [] }))),
        reason: fc.constantFrom(null, 'value_differs'),
      }),
      (report, change) => {
        let statement;
        try {
          statement = statementOf(report, HANDS[0], change);
        } catch (error) {
          assert.ok(error instanceof Fault && error.code === 'malformed', String(error));
          return;
        }
        taken += 1;
        const { verdict, basis, kept, own, reason } = statement;
        assert.equal(statement.report, reportHash(sha256, report));
        assert.equal(statement.print, formatHex(formatPrint(printOf(sha256, report))));
        assert.equal(verdict === 'agree', reason === null);
        if (verdict === 'agree') {
          assert.equal((basis === 'own_read' ? own : kept)?.value, report.value);
          for (const each of [own, kept]) assert.ok(each === null || each.value === report.value);
        }
        const again = parseWire(formatStatement(statement));
        assert.deepEqual(parseStatement(again, 'statement'), statement);
      },
    ),
    { numRuns: 2000 },
  );
  assert.ok(taken > 200, `${taken}`);
});
