import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBase64 } from '@assay/core/bytes/base64';
import { type Bundle, formatBundle, parseBundle } from '@assay/core/proof/bundle';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { contentHash, hashHex, leafHash, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parseNote } from '@assay/core/log/note';
import { verifyInclusion } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, type WireObject, wire } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

const HASH = '0b'.repeat(32);
const GOOD = {
  type: 'assay-bundle/1',
  genesis: { seq: 0, bytes: 'e30=', proof: [HASH] },
  entries: [
    { seq: 1, bytes: 'e30=', proof: [] },
    { seq: 7, bytes: '', proof: [HASH, HASH] },
  ],
  report: HASH,
  print: '00'.repeat(128),
  signatures: [{ key: '11'.repeat(32), signature: '22'.repeat(64) }],
  statements: [],
  blobs: [
    { sha256: '0a'.repeat(32), bytes: '' },
    { sha256: HASH, bytes: 'AA==' },
  ],
  index_proofs: [],
  checkpoint: 'development/x\n7\nAA==\n',
  ots: null,
  headers: [],
  account: null,
} as const;

const STAMP = { checkpoint: 'AAE=', inclusion: [HASH] };
const ACCOUNT = { address: '1'.repeat(32), owner: 'z'.repeat(44), slot: 0, data: 'AA==' };
const LEAF = { leaf: '00'.repeat(70), proof: [HASH] };
const SHORT_LEAF = { ...LEAF, leaf: '00'.repeat(69) };
const INDEX_PROOF = { of: 'prints', seq: 9, first: 0, leaves: [LEAF] };
const RULES_PROOF = { ...INDEX_PROOF, of: 'rules', leaves: [{ ...LEAF, leaf: '00'.repeat(68) }] };
const HEADERS = { height: 358_391, headers: '00'.repeat(560) };

test('bundle: the closed shape survives the round trip', () => {
  const bytes = formatBundle(GOOD as unknown as Bundle);
  assert.deepEqual(parseBundle(bytes), GOOD);
  assert.deepEqual(formatBundle(parseBundle(bytes)), bytes);
  for (const headers of [[], [HEADERS], [HEADERS, { ...HEADERS, height: 358_392 }]]) {
    const stamped = { ...GOOD, ots: STAMP, headers };
    assert.deepEqual(parseBundle(formatBundle(stamped as unknown as Bundle)), stamped);
  }
  const indexed = { ...GOOD, index_proofs: [INDEX_PROOF, RULES_PROOF] };
  assert.deepEqual(parseBundle(formatBundle(indexed as unknown as Bundle)), indexed);
  const onChain = { ...GOOD, account: { feed: ACCOUNT, page: { ...ACCOUNT, slot: 361_245_873 } } };
  assert.deepEqual(parseBundle(formatBundle(onChain as unknown as Bundle)), onChain);
});

test('bundle: exact bytes, and what they prove', () => {
  interface BundleVector {
    name: string;
    bundle: WireObject;
    bytes: number;
    sha256: string;
  }
  for (const { name, bundle, bytes, sha256: hash } of vectors<BundleVector[]>('bundle/bundles')) {
    const whole = formatWire(bundle);
    const parsed = parseBundle(whole);
    assert.deepEqual(parsed, bundle, name);
    assert.deepEqual(formatBundle(parsed), whole);
    assert.deepEqual([whole.length, hashHex(contentHash(sha256, whole))], [bytes, hash]);
    const { size, root } = parseCheckpoint(parseNote(formatUtf8(parsed.checkpoint)).text);
    for (const { seq, bytes: entry, proof } of [parsed.genesis, ...parsed.entries]) {
      const leaf = leafHash(sha256, parseBase64(entry));
      verifyInclusion(
        sha256,
        leaf,
        seq,
        size,
        proof.map((each) => toHash(parseHex(each, 32))),
        root,
      );
    }
    for (const blob of parsed.blobs) {
      assert.equal(hashHex(contentHash(sha256, parseBase64(blob.bytes))), blob.sha256);
    }
  }
});

test('bundle: what does not fit is refused, with its place', () => {
  const [first, second] = GOOD.entries;
  const [low, high] = GOOD.blobs;
  const cases: readonly (readonly [string, WireObject, string?])[] = [
    ['type', { type: 'assay-bundle/2' }],
    ['genesis.seq', { genesis: { ...GOOD.genesis, seq: 1 } }],
    ['genesis.bytes', { genesis: { ...GOOD.genesis, bytes: 'e30' } }],
    [
      'genesis.proof',
      { genesis: { ...GOOD.genesis, proof: Array.from({ length: 54 }, () => HASH) } },
    ],
    ['entries', { entries: [] }],
    ['entries[1].seq', { entries: [second, first] }],
    ['entries[1].seq', { entries: [first, first] }],
    ['entries[0].seq', { entries: [{ ...first, seq: 0 }] }],
    ['report', { report: 'x' }],
    ['print', { print: '00'.repeat(127) }],
    ['signatures', { signatures: [] }],
    ['signatures[0].key', { signatures: [{ key: '', signature: '22'.repeat(64) }] }],
    ['blobs[1].sha256', { blobs: [high, low] }],
    ['blobs[1].sha256', { blobs: [low, low] }],
    ['blobs[0].bytes', { blobs: [{ ...low, bytes: 'AB==' }] }],
    ['checkpoint', { checkpoint: '' }],
    ['statements', { statements: [{}] }, 'unsupported'],
    ['index_proofs[0]', { index_proofs: [1] }],
    ['index_proofs', { index_proofs: [INDEX_PROOF, RULES_PROOF, RULES_PROOF] }],
    ['index_proofs[1].of', { index_proofs: [INDEX_PROOF, INDEX_PROOF] }],
    ['index_proofs[0].of', { index_proofs: [RULES_PROOF] }],
    ['index_proofs[0].of', { index_proofs: [{ ...INDEX_PROOF, of: 'keys' }] }],
    ['index_proofs[0].leaves[0].leaf', { index_proofs: [{ ...INDEX_PROOF, of: 'rules' }] }],
    ['index_proofs[0].seq', { index_proofs: [{ ...INDEX_PROOF, seq: 0 }] }],
    ['index_proofs[0].first', { index_proofs: [{ ...INDEX_PROOF, first: -1 }] }],
    ['index_proofs[0].leaves', { index_proofs: [{ ...INDEX_PROOF, leaves: [] }] }],
    [
      'index_proofs[0].leaves[0].leaf',
      { index_proofs: [{ ...INDEX_PROOF, leaves: [SHORT_LEAF] }] },
    ],
    ['ots.checkpoint', { ots: { ...STAMP, checkpoint: 'AB==' } }],
    ['ots.inclusion', { ots: { ...STAMP, inclusion: Array.from({ length: 54 }, () => HASH) } }],
    ['ots', { ots: 'AAE=' }],
    ['headers', { headers: null }],
    ['headers', { headers: [HEADERS] }],
    ['headers', { ots: STAMP, headers: Array.from({ length: 17 }, () => HEADERS) }],
    ['headers[0].headers', { ots: STAMP, headers: [{ height: 1, headers: '00'.repeat(480) }] }],
    ['headers[0].height', { ots: STAMP, headers: [{ ...HEADERS, height: 4_294_967_296 }] }],
    ['headers[1].height', { ots: STAMP, headers: [HEADERS, HEADERS] }],
    ['account', { account: [] }],
    ['account', { account: { feed: ACCOUNT } }],
    ['account', { account: { feed: ACCOUNT, page: ACCOUNT, close: ACCOUNT } }],
    ['account.feed.slot', { account: { page: ACCOUNT, feed: { ...ACCOUNT, slot: -1 } } }],
    ['account.page.data', { account: { feed: ACCOUNT, page: { ...ACCOUNT, data: 'A' } } }],
    ['account.page.owner', { account: { feed: ACCOUNT, page: { ...ACCOUNT, owner: 'O0' } } }],
    ['account.feed.address', { account: { page: ACCOUNT, feed: { ...ACCOUNT, address: null } } }],
    ['', { more: null }],
  ];
  for (const [at, change, code = 'malformed'] of cases) {
    const bytes = formatWire({ ...wire(GOOD), ...change });
    assert.throws(
      () => parseBundle(bytes),
      { code, at },
      `${at} ${JSON.stringify(change).slice(0, 60)}`,
    );
  }
  assert.throws(() => parseBundle(formatUtf8(JSON.stringify(GOOD, null, 1))), {
    code: 'not_canonical',
  });
});
