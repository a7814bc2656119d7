import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { formatSnapshot, type Snapshot } from '@assay/core/read/snapshot';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { NO_LIMIT } from '@assay/core/work-budget';
import { EvidenceReader } from '@assay/verifier/reader/blobs';
import { Findings } from '@assay/verifier/verdict/finding';
import { emptyTally } from '@assay/verifier/verdict/verdict';
import { ENVIRONMENT } from '../fixture/published.ts';

function hashOf(bytes: Uint8Array): HashHex {
  return hashHex(contentHash(nodeSha256, bytes));
}

/** A store of blobs that counts what is asked of it. */
class CountedBlobs {
  readonly blobs = new Map<HashHex, Uint8Array>();
  readonly asked: HashHex[] = [];
  underWay = 0;
  most = 0;

  readonly read = async (hash: HashHex): Promise<Uint8Array | undefined> => {
    this.asked.push(hash);
    this.underWay += 1;
    this.most = Math.max(this.most, this.underWay);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.underWay -= 1;
    return this.blobs.get(hash);
  };

  put(bytes: Uint8Array): HashHex {
    const hash = hashOf(bytes);
    this.blobs.set(hash, bytes);
    return hash;
  }

  /** A manifest of one page, and its hash. */
  snapshot(page: Uint8Array, change: Partial<Snapshot> = {}): HashHex {
    const pages = [
      { status: 200, sha256: this.put(page), length: page.length, content_type: null },
    ];
    return this.put(
      formatSnapshot({
        type: 'assay-snapshot/1',
        provider: 'p',
        request: {
          method: 'GET',
          url: 'https://a.invalid/',
          headers: [],
          body: null,
          follow: [],
          paging: { kind: 'none' },
        },
        pages,
        extractor: null,
        retain: 'bytes',
        ...change,
      }),
    );
  }
}

function reader(blobs: CountedBlobs): {
  readonly evidence: EvidenceReader;
  readonly findings: Findings;
} {
  const findings = new Findings();
  return {
    evidence: new EvidenceReader(blobs.read, ENVIRONMENT, findings, emptyTally(), NO_LIMIT),
    findings,
  };
}

test('a manifest and its pages, each under its hash, fetched once for neighbours', async () => {
  const blobs = new CountedBlobs();
  const page = formatUtf8('a,b\n1,2\n');
  const hash = blobs.snapshot(page);
  const { evidence, findings } = reader(blobs);
  const [one, two] = await Promise.all([evidence.evidence(hash), evidence.evidence(hash)]);
  assert.deepEqual(one?.pages, [{ status: 200, bytes: page }]);
  assert.equal(one, two);
  assert.equal(blobs.asked.length, 2);
  assert.equal(findings.count, 0);
});

test('bytes that the terms do not let the log keep are not asked for', async () => {
  const blobs = new CountedBlobs();
  const hash = blobs.snapshot(formatUtf8('secret'), { retain: 'hash' });
  const { evidence } = reader(blobs);
  assert.equal((await evidence.evidence(hash))?.pages, undefined);
  assert.deepEqual(blobs.asked, [hash]);
});

test('a blob that is missing, other, or no manifest: found', async () => {
  const blobs = new CountedBlobs();
  const good = blobs.snapshot(formatUtf8('a'));
  const cases: readonly (readonly [string, string, () => void])[] = [
    ['no manifest', 'blob_missing', () => blobs.blobs.delete(good)],
    ['another manifest', 'blob_differs', () => blobs.blobs.set(good, formatUtf8('{}'))],
    ['no page', 'blob_missing', () => blobs.blobs.delete(hashOf(formatUtf8('a')))],
    [
      'another page',
      'blob_differs',
      () => blobs.blobs.set(hashOf(formatUtf8('a')), formatUtf8('b')),
    ],
  ];
  for (const [name, code, spoil] of cases) {
    blobs.snapshot(formatUtf8('a'));
    spoil();
    const { evidence, findings } = reader(blobs);
    assert.equal(await evidence.evidence(good), undefined, name);
    assert.deepEqual(
      findings.list.map((each) => each.code),
      [code],
      name,
    );
  }
  const none = blobs.put(formatUtf8('<!doctype html>'));
  const { evidence, findings } = reader(blobs);
  assert.equal(await evidence.evidence(none), undefined);
  assert.deepEqual(
    findings.list.map(({ code }) => code),
    ['snapshot_malformed'],
  );
});

test('a snapshot of more than two of the largest pages is not fetched', async () => {
  const blobs = new CountedBlobs();
  const page = {
    status: 200,
    sha256: hashOf(formatUtf8('')),
    length: 33_554_432,
    content_type: null,
  };
  const hash = blobs.snapshot(formatUtf8(''), {
    pages: Array.from({ length: 10_000 }, () => page),
  });
  const { evidence, findings } = reader(blobs);
  assert.equal(await evidence.evidence(hash), undefined);
  assert.deepEqual(blobs.asked, [hash]);
  assert.deepEqual(
    findings.list.map(({ code }) => code),
    ['snapshot_malformed'],
  );
});

test('fetching ahead keeps few under way and asks for nothing twice, in the order of the log', async () => {
  const blobs = new CountedBlobs();
  const hashes = Array.from({ length: 300 }, (_, i) => blobs.snapshot(formatUtf8(`page ${i}`)));
  const { evidence, findings } = reader(blobs);
  for (const hash of hashes) evidence.prefetch(hash);
  for (const hash of hashes) {
    const found = await evidence.evidence(hash);
    assert.notEqual(found, undefined);
  }
  assert.equal(findings.count, 0);
  assert.equal(blobs.asked.length, 600);
  assert.equal(blobs.most <= 9, true, `${blobs.most} at once`);
});

test('what was announced and is never asked for does not pile up', async () => {
  const blobs = new CountedBlobs();
  const { evidence } = reader(blobs);
  for (let i = 0; i < 20_000; i += 1) {
    evidence.prefetch(blobs.snapshot(formatUtf8(`page ${i}`)));
  }
  const last = blobs.snapshot(formatUtf8('the one'));
  assert.notEqual(await evidence.evidence(last), undefined);
  for (let i = 0; i < 200; i += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  assert.equal(blobs.asked.length <= 2 * 34, true, `${blobs.asked.length} asked`);
});

test('large snapshots push each other out', async () => {
  const blobs = new CountedBlobs();
  const hashes = Array.from({ length: 12 }, (_, i) => {
    const page = new Uint8Array(32 * 1024 * 1024);
    page[0] = i;
    return blobs.snapshot(page);
  });
  const { evidence } = reader(blobs);
  for (const hash of hashes) await evidence.evidence(hash);
  // The first is long gone and is fetched again; the newest is still there.
  const before = blobs.asked.length;
  await evidence.evidence(hashes[11] as HashHex);
  assert.equal(blobs.asked.length, before);
  await evidence.evidence(hashes[0] as HashHex);
  assert.equal(blobs.asked.length, before + 2);
});

test('a failed fetch is thrown at whoever asks, not at the process', async () => {
  const findings = new Findings();
  const evidence = new EvidenceReader(
    () => Promise.reject(new Error('gone')),
    ENVIRONMENT,
    findings,
    emptyTally(),
    NO_LIMIT,
  );
  const hash = hashOf(formatUtf8('x'));
  evidence.prefetch(hash);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await assert.rejects(evidence.evidence(hash), /gone/);
  assert.equal(findings.count, 0);
});

test('the text that was taken from pages comes with them, and must have its hash and its place', async () => {
  const blobs = new CountedBlobs();
  const text = formatUtf8('what the rule reads');
  const extractor = { name: 'x', version: '1', text_sha256: blobs.put(text) };
  const hash = blobs.snapshot(formatUtf8('%PDF'), { extractor });
  const good = reader(blobs);
  assert.deepEqual((await good.evidence.evidence(hash))?.text, text);
  assert.equal(good.findings.count, 0);
  const withheld = blobs.snapshot(formatUtf8('%PDF'), { extractor, retain: 'hash' });
  assert.equal((await good.evidence.evidence(withheld))?.text, null);
  blobs.blobs.set(extractor.text_sha256, formatUtf8('another'));
  const other = reader(blobs);
  assert.equal(await other.evidence.evidence(hash), undefined);
  blobs.blobs.delete(extractor.text_sha256);
  const none = reader(blobs);
  assert.equal(await none.evidence.evidence(hash), undefined);
  assert.deepEqual(
    [...other.findings.list, ...none.findings.list].map(({ code }) => code),
    ['blob_differs', 'blob_missing'],
  );
});
