import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { Findings } from '@assay/verifier/verdict/finding';
import type { Answer } from '@assay/verifier/reader/log-reader';
import {
  isProofFile,
  ProofFileCheck,
  proofFilePaths,
} from '@assay/verifier/subject/proof-file-check';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { anchoredLog } from '../fixture/anchored-log.ts';
import { flip, places } from '../fixture/flip.ts';
import { publish, siteOf } from '../fixture/published.ts';

const { entries, blobs, checkpoints } = await anchoredLog();
const published = publish(entries, blobs, checkpoints);
const site = siteOf(published);
const paths = [...site.keys()].filter(isProofFile);
const check = new ProofFileCheck(nodeSha256);

function codes(path: string, { status, body }: Pick<Answer, 'status' | 'body'>): readonly string[] {
  const findings = new Findings();
  check.compare({ path, status, body }, published.views, findings);
  return findings.list.map(({ code }) => code);
}

test('the served files are those of the log', () => {
  assert.equal(paths.length > 3, true);
  for (const path of paths) assert.deepEqual(codes(path, site.get(path) as Answer), [], path);
});

test('one bit of a file, anywhere: found', () => {
  const path = paths.at(-1) as string;
  const { body } = site.get(path) as Answer;
  for (const { at, bit } of places(body.length, 7)) {
    assert.deepEqual(codes(path, { status: 200, body: flip(body, at, bit) }), ['proof_differs']);
  }
  for (const cut of [0, 30, 66, body.length - 1]) {
    const short = { status: 200, body: body.slice(0, cut) };
    assert.deepEqual(codes(path, short), ['proof_differs']);
  }
});

test('a file that is missing, and one of a digest that no batch holds', () => {
  const nothing = { status: 404, body: new Uint8Array(0) };
  assert.deepEqual(codes(paths[0] as string, nothing), ['api_missing']);
  const [unknown = ''] = proofFilePaths([toHashHex('ab'.repeat(32))]);
  assert.deepEqual(codes(unknown, nothing), []);
  assert.deepEqual(codes(unknown, { status: 200, body: new Uint8Array(9) }), ['proof_differs']);
});

test('only the file of a whole digest is one', () => {
  const hex = 'ab'.repeat(32);
  assert.equal(isProofFile(`/proof/${hex}?format=ots`), true);
  for (const path of [
    `/proof/${hex}`,
    `/proof/${hex.slice(2)}?format=ots`,
    `/proof/${hex}?format=otS`,
  ]) {
    assert.equal(isProofFile(path), false, path);
  }
});
