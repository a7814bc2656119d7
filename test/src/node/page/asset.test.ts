import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { type AssetName, Assets, VERIFIER_ASSETS } from '@assay/node/page/asset';

/** What each file may weigh over the wire. */
const MOST_BYTES: Readonly<Partial<Record<AssetName, number>>> = {
  'zoom.js': 25_000,
  'verify-worker.js': 80_000,
  // The verifier of a bundle with what gathers one from a server, over changes of the checkpoint key.
  'number-worker.js': 96_000,
  // The verifier of a whole log, with the packed lists of what it remembers of each report.
  'log-worker.js': 140_000,
  'curve.js': 30_000,
  'assay-number.js': 86_000,
};

test('assets: what is fetched on demand is small', () => {
  const assets = new Assets();
  for (const name of [...VERIFIER_ASSETS, 'zoom.js' as const]) {
    const { body } = assets.get(name).representation;
    const bytes = brotliCompressSync(body).length;
    assert.ok(bytes < (MOST_BYTES[name] ?? 0), `${name}: ${bytes} bytes`);
    // A file that was bundled from nothing would be small as well.
    assert.ok(bytes > 10_000, `${name}: ${bytes} bytes`);
  }
});

test('assets: the verifier of a whole log loads the curve by its hash', () => {
  const assets = new Assets();
  const code = new TextDecoder().decode(assets.get('log-worker.js').representation.body);
  const later = [...code.matchAll(/import\(`([^`]+)`\)/g)].map(([, path]) => path);
  const { path } = assets.get('curve.js');
  assert.deepEqual(later, [path, path]);
});

test('assets: a worker has a policy of its own, and one that checks a file can ask nobody', () => {
  const policyOf = (assets: Assets, name: AssetName): string =>
    assets
      .get(name)
      .representation.headers.find(([header]) => header === 'content-security-policy')?.[1] ?? '';
  const own = new Assets();
  assert.equal(policyOf(own, 'verify-worker.js'), "default-src 'none'");
  assert.equal(policyOf(own, 'number-worker.js'), "default-src 'none'; connect-src 'self'");
  assert.equal(
    policyOf(own, 'log-worker.js'),
    "default-src 'none'; script-src 'self'; connect-src 'self'",
  );
  const other = new Assets(undefined, 'https://log.example');
  assert.equal(policyOf(other, 'verify-worker.js'), "default-src 'none'");
  assert.match(policyOf(other, 'log-worker.js'), /; connect-src 'self' https:\/\/log\.example$/);
});
