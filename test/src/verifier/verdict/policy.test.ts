import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { formatNoteKey, NOTE_COSIGNATURE } from '@assay/core/log/note';
import type { WireValue } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  formatPin,
  OPEN_POLICY,
  parsePin,
  parsePolicy,
  type Pin,
  type Policy,
  type PolicyCosigner,
  type PolicyWitness,
} from '@assay/verifier/verdict/policy';
import { PORTABLE } from '@assay/verifier/verdict/environment';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { verify } from '@assay/verifier/verify';
import { Watch } from '@assay/verifier/watch/watch';
import { ROOT, signerFrom } from '../fixture/sample-log.ts';

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

const FIRST = { type: 'assay-policy/1', checkpoint_keys: [], log_id: null, strict: false };
const EMPTY = { type: 'assay-policy/3', ...OPEN_POLICY };
const witness = (operator: string, word = operator): PolicyWitness => ({
  operator,
  vkey: formatNoteKey(nodeSha256, 'w.example', signerFrom(word).publicKey, NOTE_COSIGNATURE),
});
const cosigner = (operator: string, key = '12'.repeat(32)): PolicyCosigner => ({ operator, key });

function parse(value: unknown): Policy {
  return parsePolicy(nodeSha256, value as WireValue);
}

test('a policy says nothing that it does not say', () => {
  assert.deepEqual(parse(EMPTY), OPEN_POLICY);
  const full = {
    ...EMPTY,
    witnesses: [witness('Alpha'), witness('Beta')],
    witnesses_required: 2,
    witness_max_age_s: 86_400,
    cosigners: [cosigner('Alpha')],
    cosigners_required: 1,
  };
  const { type: _, ...policy } = full;
  assert.deepEqual(parse(full), policy);
});

test('a policy of the first version is read, and asks for no witnesses', () => {
  assert.deepEqual(parse(FIRST), OPEN_POLICY);
  assert.throws(() => parse({ ...FIRST, witnesses: [] }), { code: 'malformed' });
});

test('a policy of the second version is read, and asks for no completeness', () => {
  const { complete: _, ...members } = OPEN_POLICY;
  const second = { ...members, type: 'assay-policy/2', cosigners: [cosigner('Alpha')] };
  assert.deepEqual(parse({ ...second, cosigners_required: 1 }), {
    ...OPEN_POLICY,
    cosigners: [cosigner('Alpha')],
    cosigners_required: 1,
  });
  assert.throws(() => parse({ ...second, complete: true }), { code: 'malformed' });
  assert.equal(parse({ ...EMPTY, complete: true }).complete, true);
});

test('a policy with anything else in it is none', () => {
  for (const good of [FIRST, EMPTY]) {
    for (const change of [
      { type: 'assay-policy/4' },
      { checkpoint_keys: 'x' },
      { checkpoint_keys: ['example.org+00000000+AA=='] },
      { checkpoint_keys: ['no key'] },
      { log_id: 'x' },
      { strict: 1 },
      { stict: true },
    ]) {
      assert.throws(() => parse({ ...good, ...change }), JSON.stringify(change));
    }
    for (const name of Object.keys(good)) {
      const { [name as 'type']: _, ...rest } = good;
      assert.throws(() => parse(rest), { code: 'malformed' }, name);
    }
  }
});

test('a policy that cannot mean what it says is none', () => {
  const key = formatNoteKey(nodeSha256, 'example.org', signerFrom('Alpha').publicKey);
  for (const change of [
    { witnesses_required: 1 },
    { witnesses: [witness('Alpha'), witness('Alpha', 'more')], witnesses_required: 2 },
    { witnesses: [witness('Alpha'), witness('Beta', 'Alpha')] },
    { witnesses: [witness('Alpha')], checkpoint_keys: [key] },
    { witnesses: [{ ...witness('Alpha'), vkey: key }] },
    { witnesses: [{ ...witness('Alpha'), operator: '' }] },
    { witnesses: [{ ...witness('Alpha'), operator: 'a=b' }] },
    { witnesses: [{ ...witness('Alpha'), operator: 'Al\u202epha' }] },
    { witness_max_age_s: 0 },
    { cosigners_required: 1 },
    { cosigners: [cosigner('Alpha'), cosigner('Beta')] },
    { cosigners: [cosigner('Alpha', 'x')] },
    { cosigners: [cosigner('A'), cosigner('A', '34'.repeat(32))], cosigners_required: 2 },
  ]) {
    assert.throws(() => parse({ ...EMPTY, ...change }), JSON.stringify(change));
  }
});

test('two spellings of one operator are refused, and one spelling counts once', () => {
  for (const [a, b] of [
    ['Acme', 'acme'],
    ['Acme Inc', 'Acme  Inc'],
    ['Acme Inc', 'Acme\u00a0Inc'],
    ['Caf\u00e9', 'Cafe\u0301'],
    ['Stra\u00dfe', 'STRASSE'],
    ['\uff21cme', 'Acme'],
  ] as const) {
    const cosigners = [cosigner(a), cosigner(b, '34'.repeat(32))];
    assert.throws(() => parse({ ...EMPTY, cosigners }), { code: 'malformed' }, b);
    const witnesses = [witness(a, 'Alpha'), witness(b, 'Beta')];
    assert.throws(() => parse({ ...EMPTY, witnesses }), { code: 'malformed' }, b);
    parse({ ...EMPTY, cosigners: [cosigner(a), cosigner(a, '34'.repeat(32))] });
  }
});

test('verify and watch read the whole policy themselves: a bad one is an error, never a yes', async () => {
  const reader: LogReader = { live: true, get: () => assert.fail('nothing is asked for') };
  const watching = (policy: Policy): Watch =>
    new Watch({
      urls: [],
      readerOf: () => reader,
      policy,
      kept: () => [],
      keptAddress: () => undefined,
      environment: PORTABLE,
      limits: DEFAULT_LIMITS,
      now: () => 0,
      graceS: 0,
      within: (work) => work({ aborted: false }),
    });
  watching(OPEN_POLICY);
  for (const change of [
    { witnesses: [witness('Acme', 'one'), witness('Bolt', 'one')], witnesses_required: 2 },
    { witnesses: [witness('Acme')], witnesses_required: undefined },
    { witnesses: [witness('Acme')], witnesses_required: '1' },
    { witnesses: [witness('Acme')], witnesses_required: 2 },
    { witnesses: [witness('Acme')], witnesses_required: Number.NaN },
    { strict: 'false' },
    { checkpoint_keys: undefined },
    { cosigners: [cosigner('Acme'), cosigner('acme', '34'.repeat(32))], cosigners_required: 2 },
  ]) {
    const policy = { ...OPEN_POLICY, ...change } as unknown as Policy;
    const code = { code: 'malformed' };
    await assert.rejects(verify({ kind: 'log', reader }, policy), code, JSON.stringify(change));
    assert.throws(() => watching(policy), code, JSON.stringify(change));
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
