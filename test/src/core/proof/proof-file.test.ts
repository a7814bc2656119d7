import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { formatProof, parseProof } from '@assay/core/ots/proof';
import { formatTimestamp } from '@assay/core/ots/timestamp';
import { proofFile, treeMaker } from '@assay/core/proof/proof-file';
import { stampsBetween } from '@assay/core/view/stamps';
import fc from 'fast-check';
import { appendBatch, CALENDAR, treeOf } from '../fixture/anchor-fixture.ts';
import {
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  SOME_HASH,
} from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const TIP = formatTimestamp({ items: [{ attestation: { kind: 'pending', uri: CALENDAR } }] });

test('proof file: each leaf leads to the tip, and to what the calendars answered for it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), (reports) => {
      const log = new SampleLog();
      log.append('genesis/1', GENESIS);
      log.append('rule/1', { rule: layoffsRule() });
      for (let issue = 0; issue < reports; issue += 1) {
        const report = sampleReport('provisional', { log: log.log, issue });
        log.append('report/1', { report, signature: SIGNATURE });
      }
      const { tip } = appendBatch(log);
      const { digests } = treeOf(log, 0);
      assert.equal(digests.length, reports + 1);
      const made = treeMaker(log.views, sha256);
      for (const digest of digests) {
        const bytes = proofFile(log.views, made, digest, TIP);
        assert.ok(bytes !== undefined);
        const proof = parseProof(bytes);
        assert.deepEqual(formatProof(proof), bytes);
        assert.deepEqual([proof.hash, formatHex(proof.digest)], ['sha256', digest]);
        const found = evaluate(proof.timestamp, proof.digest, otsHashes(sha256));
        assert.deepEqual(
          found.map(({ attestation, message }) => [attestation, formatHex(message)]),
          [[{ kind: 'pending', uri: CALENDAR }, tip]],
        );
      }
    }),
    { numRuns: 25 },
  );
});

test('proof file: none for a digest that no batch holds', () => {
  const log = smallLog();
  const made = treeMaker(log.views, sha256);
  const [waiting = SOME_HASH] = stampsBetween(log.views, 0, log.entries.length);
  assert.equal(proofFile(log.views, made, waiting, TIP), undefined);
  appendBatch(log);
  assert.ok(proofFile(log.views, made, waiting, TIP) !== undefined);
  assert.equal(proofFile(log.views, made, SOME_HASH, TIP), undefined);
});

test('proof file: none from a tree that has not the digest', () => {
  const log = smallLog();
  appendBatch(log);
  const [digest = SOME_HASH] = stampsBetween(log.views, 0, log.entries.length);
  const { tree } = treeOf(log, 0);
  assert.equal(
    proofFile(log.views, () => ({ digests: [], tree }), digest, TIP),
    undefined,
  );
  assert.equal(parseHex(digest).length, 32);
});
