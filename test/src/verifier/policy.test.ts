import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash';
import { nodeSha256 } from '@assay/node/node-sha256';
import { formatPin, OPEN_POLICY, parsePin, parsePolicy, type Pin } from '@assay/verifier/policy';
import { ROOT } from './sample-log.ts';

const HASH = toHashHex('ab'.repeat(32));
const PIN: Pin = {
  type: 'assay-pin/1',
  origin: 'example.org/assay',
  checkpoint_vkey: 'example.org/assay+00000000+AA==',
  log_id: HASH,
  size: 1,
  root: HASH,
};

test('the policy file of the documentation is a policy', async () => {
  const text = await readFile(join(ROOT, 'docs', 'verify.md'), 'utf8');
  const example = /```json policy\n([^`]+)```/.exec(text)?.[1];
  const policy = parsePolicy(nodeSha256, JSON.parse(example ?? '') as never);
  assert.equal(policy.checkpoint_keys.length, 1);
  assert.equal(policy.strict, true);
});

test('a policy with anything else in it is none', () => {
  const good = { type: 'assay-policy/1', checkpoint_keys: [], log_id: null, strict: false };
  assert.deepEqual(parsePolicy(nodeSha256, good), OPEN_POLICY);
  for (const change of [
    { type: 'assay-policy/2' },
    { checkpoint_keys: 'x' },
    { checkpoint_keys: ['example.org+00000000+AA=='] },
    { checkpoint_keys: ['no key'] },
    { log_id: 'x' },
    { strict: 1 },
    { stict: true },
  ]) {
    assert.throws(() => parsePolicy(nodeSha256, { ...good, ...change }), JSON.stringify(change));
  }
  for (const name of Object.keys(good)) {
    const { [name as 'type']: _, ...rest } = good;
    assert.throws(() => parsePolicy(nodeSha256, rest), { code: 'malformed' }, name);
  }
});

test('a pin is read back from its bytes, and from no others', () => {
  assert.deepEqual(parsePin(formatPin(PIN)), PIN);
  for (const bad of [
    { ...PIN, size: 0 },
    { ...PIN, size: 1.5 },
    { ...PIN, root: 'x' },
    { ...PIN, more: 1 },
    { ...PIN, type: 'assay-pin/2' },
  ]) {
    assert.throws(() => parsePin(new TextEncoder().encode(JSON.stringify(bad))));
  }
  const spaced = new TextEncoder().encode(`${new TextDecoder().decode(formatPin(PIN))} `);
  assert.throws(() => parsePin(spaced), { code: 'not_canonical' });
});
