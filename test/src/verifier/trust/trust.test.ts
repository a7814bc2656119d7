import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, leafHash, toHashHex } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Findings } from '@assay/verifier/verdict/finding';
import { OPEN_POLICY, type Pin, type Policy } from '@assay/verifier/verdict/policy';
import { makePin, requireNamedKeys, trustLog } from '@assay/verifier/trust/trust';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { bundleOf } from '../fixture/misdeeds.ts';
import {
  codesOf,
  ENVIRONMENT,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  siteOf,
  youngLog,
} from '../fixture/published.ts';
import { sampleLog, signerFrom } from '../fixture/sample-log.ts';
import { wireBytes } from '../fixture/forge.ts';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';

const log = await sampleLog();
const young = youngLog(log);
const genesis = log.entries[0] as Uint8Array;
const LOG_ID = hashHex(leafHash(nodeSha256, genesis));
const KEY = log.checkpoints.vkey;
const OTHER_ID = toHashHex('ab'.repeat(32));
const OTHER_KEY = checkpointSigner(nodeSha256, log.origin, signerFrom('a stranger')).vkey;
const KEY_ELSEWHERE = checkpointSigner(nodeSha256, 'another/log', signerFrom('a stranger')).vkey;
const bundle = wireBytes(await bundleOf(young));

function trust(
  policy: Partial<Policy>,
  pin?: Pin,
): { readonly trust: string | undefined; readonly codes: readonly string[] } {
  const findings = new Findings();
  const whole = { ...OPEN_POLICY, ...policy };
  const trusted = trustLog(genesis, whole, pin, ENVIRONMENT, findings);
  requireNamedKeys([KEY], whole, pin, findings);
  return { trust: trusted?.trust, codes: findings.list.map(({ code }) => code) };
}

function pinOf(change: Partial<Pin> = {}): Pin {
  const trusted = trustLog(genesis, OPEN_POLICY, undefined, ENVIRONMENT, new Findings());
  assert.notEqual(trusted, undefined);
  const leaf = leafHash(nodeSha256, genesis);
  return { ...makePin(trusted as never, leaf, 1, leaf), ...change };
}

test('what the trust rests on is reported: the policy, a pin, or nothing yet', () => {
  assert.deepEqual(trust({}), { trust: 'first_use', codes: [] });
  assert.deepEqual(trust({}, pinOf()), { trust: 'pinned', codes: [] });
  assert.deepEqual(trust({ checkpoint_keys: [KEY] }), { trust: 'policy', codes: [] });
  assert.deepEqual(trust({ checkpoint_keys: [KEY_ELSEWHERE, KEY] }), {
    trust: 'policy',
    codes: [],
  });
  assert.deepEqual(trust({ log_id: LOG_ID }), { trust: 'policy', codes: [] });
  assert.deepEqual(trust({ checkpoint_keys: [KEY] }, pinOf()), { trust: 'policy', codes: [] });
});

test('a log that contradicts policy or pin is not trusted', () => {
  assert.deepEqual(trust({ checkpoint_keys: [OTHER_KEY] }).codes, ['key_not_trusted']);
  // A key that is named for this origin is one of this log, or the log is not the one that is meant.
  assert.deepEqual(trust({ checkpoint_keys: [KEY, OTHER_KEY] }).codes, ['key_not_trusted']);
  assert.deepEqual(trust({ log_id: OTHER_ID }).codes, ['log_id_differs']);
  assert.deepEqual(trust({}, pinOf({ checkpoint_vkey: OTHER_KEY })).codes, ['key_not_trusted']);
  assert.deepEqual(trust({}, pinOf({ log_id: OTHER_ID })).codes, ['log_id_differs']);
  // One does not stand in for the other.
  assert.deepEqual(trust({ checkpoint_keys: [KEY] }, pinOf({ log_id: OTHER_ID })).codes, [
    'log_id_differs',
  ]);
  assert.deepEqual(trust({ checkpoint_keys: [OTHER_KEY] }, pinOf()).codes, ['key_not_trusted']);
});

test('an entry 0 that is no genesis gives no key', () => {
  for (const bytes of [log.entries[1] as Uint8Array, formatUtf8('{}'), new Uint8Array(0)]) {
    const findings = new Findings();
    assert.equal(trustLog(bytes, OPEN_POLICY, undefined, ENVIRONMENT, findings), undefined);
    assert.deepEqual(
      findings.list.map(({ code }) => code),
      ['genesis_misplaced'],
    );
  }
});

test('in every form a named key and id are enforced, and reported', async () => {
  const forms: readonly ((policy: Partial<Policy>) => Promise<Verdict>)[] = [
    (policy) => judgeSite(siteOf(young), policy),
    (policy) => judgeFolder(folderOf(young), policy),
    (policy) => judge({ kind: 'bundle', bytes: bundle }, policy),
  ];
  for (const form of forms) {
    const verdict = await form({ checkpoint_keys: [KEY], log_id: LOG_ID, strict: true });
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict));
    assert.equal(verdict.outcome === 'verified' && verdict.trust, 'policy');
    assert.deepEqual(codesOf(await form({ checkpoint_keys: [OTHER_KEY] })), ['key_not_trusted']);
    assert.deepEqual(codesOf(await form({ log_id: OTHER_ID })), ['log_id_differs']);
  }
});

test('a checkpoint key that changed since the pin: not verified, in any form', async () => {
  const pins = { pins: async () => pinOf({ checkpoint_vkey: OTHER_KEY }) };
  for (const verdict of [
    await judgeSite(siteOf(young), {}, pins),
    await judgeFolder(folderOf(young), {}, pins),
    await judge({ kind: 'bundle', bytes: bundle }, {}, pins),
  ]) {
    assert.equal(codesOf(verdict).includes('key_not_trusted'), true);
  }
});

test('a key that is not trusted ends a visit: nothing more is asked of that server but what could lead to the key', async () => {
  const asked: string[] = [];
  const site = siteOf(young);
  const reader = {
    live: true,
    get: async (path: string) => {
      asked.push(path);
      return site.get(path) ?? { status: 404, body: new Uint8Array(0), logSize: undefined };
    },
  };
  await judge({ kind: 'log', reader }, { checkpoint_keys: [OTHER_KEY] });
  assert.deepEqual(asked, [
    '/checkpoint',
    `/tile/entries/000.p/${young.entries.length}`,
    '/closing-head/0',
    '/closing-head/1',
  ]);
});

test('a visit leaves a pin that the next one is held to', async () => {
  const first = await judgeSite(siteOf(young));
  assert.equal(first.outcome, 'verified');
  const pin = first.outcome === 'verified' ? first.pin : null;
  assert.equal(pin?.size, young.entries.length);
  assert.equal(pin.log_id, LOG_ID);
  const next = await judgeSite(siteOf(young), {}, { pins: async () => pin });
  assert.equal(next.outcome === 'verified' && next.trust, 'pinned');
});
