import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportHash } from '@assay/core/report/report';
import { reportDigest } from '@assay/core/view/report-digest';
import { sampleReport, sha256 } from '../fixture/fixture.ts';
import { SIGNATURE } from './small-log.ts';

test('report digest: the hash of each report, made once for an entry', () => {
  let hashed = 0;
  const counting = (bytes: Uint8Array): Uint8Array => {
    hashed += 1;
    return sha256(bytes);
  };
  for (const name of ['provisional', 'final', 'void']) {
    const report = sampleReport(name);
    const body = { report, signature: SIGNATURE };
    const before = hashed;
    assert.equal(reportDigest(counting, body), reportHash(sha256, report));
    assert.equal(reportDigest(counting, body), reportHash(sha256, report));
    assert.equal(hashed, before + 1, name);
  }
});
