import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { OPEN_POLICY, type Pin } from '@assay/verifier/verdict/policy';
import { choosePin, PolicyScope } from '@assay/verifier/trust/policy-scope';
import { testSigner } from '../../node/ledger/ledger-fixture.ts';

const { vkey } = checkpointSigner(nodeSha256, 'a.example', testSigner(1));

const ANOTHER = toHashHex('ef'.repeat(32));

test('a policy holds the logs of its keys and the one tied to it; others wait until there is one', () => {
  const policy = { ...OPEN_POLICY, checkpoint_keys: [vkey], strict: true };
  const scope = new PolicyScope(policy, nodeSha256);
  assert.equal(scope.policyOf('a.example'), policy);
  assert.equal(scope.policyOf('b.example'), undefined);
  scope.tie('c.example');
  assert.equal(scope.policyOf('c.example'), policy);
  assert.deepEqual(scope.policyOf('b.example'), OPEN_POLICY);
  for (const asks of [{ strict: true }, { witnesses_required: 1 }, { log_id: 'ab' as never }]) {
    const each = new PolicyScope({ ...OPEN_POLICY, ...asks }, nodeSha256);
    assert.equal(each.policyOf('b.example'), undefined, JSON.stringify(asks));
  }
  assert.deepEqual(new PolicyScope(OPEN_POLICY, nodeSha256).policyOf('b.example'), OPEN_POLICY);
});

test('of several pins, what is named comes first', () => {
  const pinOf = (key: string, log_id: string): Pin =>
    ({ checkpoint_vkey: key, log_id }) as unknown as Pin;
  const first = { pin: pinOf('other', 'cd'), named: false };
  const named = { pin: pinOf(vkey, 'ab'), named: true };
  assert.equal(choosePin([first, named], OPEN_POLICY, ANOTHER), named);
  assert.equal(choosePin([first], OPEN_POLICY, ANOTHER), first);
  assert.equal(choosePin([first], { ...OPEN_POLICY, checkpoint_keys: [vkey] }, ANOTHER), undefined);
  assert.equal(
    choosePin([first, named], { ...OPEN_POLICY, log_id: 'cd' as never }, ANOTHER),
    first,
  );
});
