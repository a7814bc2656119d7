import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { formatScaled } from '@assay/core/number/rational';
import { formatReport, parseReport, reportHash } from '@assay/core/report/report';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { parseWire, type WireObject } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { sampleReport, sha256, vectors } from '../fixture/fixture.ts';

interface ReportVector {
  readonly name: string;
  readonly report: WireObject;
  readonly canonical: string;
  readonly hash: string;
}
const REPORTS = vectors<readonly ReportVector[]>('report/reports');

test('report: exact bytes and hash', () => {
  for (const { name, report, canonical, hash } of REPORTS) {
    const parsed = parseReport(report);
    assert.equal(Buffer.from(formatReport(parsed)).toString(), canonical, name);
    assert.equal(reportHash(sha256, parsed), hash, name);
    assert.deepEqual(parseReport(parseWire(formatUtf8(canonical))), parsed);
  }
});

test('report: members that exclude each other are refused, with their place', () => {
  interface Refused {
    name: string;
    change: WireObject;
    at: string;
  }
  const { report: good } = REPORTS[1] as ReportVector;
  for (const { name, change, at } of vectors<Refused[]>('report/refused')) {
    assert.throws(() => parseReport({ ...good, ...change }), { code: 'malformed', at }, name);
  }
  for (const member of Object.keys(good)) {
    const { [member]: _gone, ...rest } = good;
    assert.throws(() => parseReport(rest), { code: 'malformed', at: 'report' }, member);
  }
});

test('report: every other status for every sample either holds together or is refused', () => {
  const samples = fc.constantFrom(...REPORTS.map(({ report }) => report));
  const change = fc.record(
    {
      status: fc.constantFrom('provisional', 'final', 'corrected', 'void'),
      reason: fc.constantFrom(null, 'late', 'freeze_window'),
      value: fc.constantFrom(null, '1'),
      withheld: fc.boolean(),
      settleable: fc.boolean(),
      issue: fc.constantFrom(0, 1),
      dispersion: fc.constantFrom(null, '0'),
      commitment: fc.constantFrom(null, 'ab'.repeat(32)),
      supersedes: fc.constantFrom(null, 'ab'.repeat(32)),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(samples, change, (report, changes) => {
      try {
        const parsed = parseReport({ ...report, ...changes });
        assert.ok(!parsed.settleable || (parsed.status === 'final' && parsed.value !== null));
        assert.ok(parsed.status !== 'void' || (parsed.value === null && parsed.reason !== null));
        assert.ok(parsed.value === null || !parsed.withheld);
        assert.deepEqual(parseReport(parseWire(formatReport(parsed))), parsed);
      } catch (error) {
        assert.ok(error instanceof Fault && error.code === 'malformed', String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('report: z is any tenth from -99.9 to 99.9 in its one form', () => {
  const { report: good } = REPORTS[1] as ReportVector;
  const withZ = (z: string): WireObject => ({ ...good, z, band: 'normal' });
  for (let tenths = -999n; tenths <= 999n; tenths += 1n) {
    const z = formatScaled(tenths, 1);
    assert.equal(parseReport(withZ(z)).z, z);
  }
  for (const z of [
    '-0.0',
    '00.0',
    '01.0',
    '-01.0',
    '100.0',
    '-100.0',
    '1',
    '1.',
    '.1',
    '-.1',
    '1.00',
    '+1.0',
    '1,0',
    '',
    '٠.٠',
  ]) {
    assert.throws(() => parseReport(withZ(z)), { code: 'malformed', at: 'report.z' }, z);
  }
});

test('report: another byte, another hash', () => {
  const hashes = REPORTS.map(({ hash }) => hash);
  assert.equal(new Set(hashes).size, hashes.length);
  const a = sampleReport('final');
  assert.notEqual(
    reportHash(sha256, a),
    reportHash(sha256, sampleReport('final', { value: '218001' })),
  );
});
