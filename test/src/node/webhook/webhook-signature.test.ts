import assert from 'node:assert/strict';
import { createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import { test } from 'node:test';
import { formatSecret, parseSecret, webhookHeaders } from '@assay/node/webhook/webhook-signature';
import { REPORT_SIGNER } from '../ledger/ledger-fixture.ts';

const BODY = new TextEncoder().encode('{"type":"print","data":{}}');
const MESSAGE = { id: 'msg_00ff_1', timestamp: 1_800_000_000, body: BODY };

test('webhook signatures: the example of Standard Webhooks', async () => {
  // https://github.com/standard-webhooks/standard-webhooks: the sample of its libraries' tests.
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64').toString('hex');
  const body = new TextEncoder().encode('{"test": 2432232314}');
  const headers = await webhookHeaders(
    { id: 'msg_p5jxn8a0', timestamp: 1_614_265_330, body },
    [secret],
    REPORT_SIGNER,
  );
  const text = `msg_p5jxn8a0.1614265330.{"test": 2432232314}`;
  const expected = createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('base64');
  assert.equal(headers['webhook-signature']?.split(' ')[0], `v1,${expected}`);
  assert.equal(headers['webhook-id'], 'msg_p5jxn8a0');
  assert.equal(headers['webhook-timestamp'], '1614265330');
});

test('webhook signatures: one for each secret, and one that anybody can check', async () => {
  const secrets = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const parts =
    (await webhookHeaders(MESSAGE, secrets, REPORT_SIGNER))['webhook-signature']?.split(' ') ?? [];
  assert.deepEqual(
    parts.map((part) => part.split(',')[0]),
    ['v1', 'v1', 'v1a'],
  );
  const text = Buffer.concat([Buffer.from('msg_00ff_1.1800000000.'), BODY]);
  for (const [i, secret] of secrets.entries()) {
    const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('base64');
    assert.equal(parts[i], `v1,${mac}`);
  }
  const key = createPublicKey({
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(REPORT_SIGNER.publicKey).toString('base64url'),
    },
    format: 'jwk',
  });
  const signature = Buffer.from(parts[2]?.split(',')[1] ?? '', 'base64');
  assert.ok(verify(null, text, key, signature));
  text[0] = 0;
  assert.ok(!verify(null, text, key, signature));
});

test('webhook signatures: nothing but the id of a message begins what the report key signs', async () => {
  for (const id of ['assay/receipt/v1', 'assayPR1', 'msg_a.b', 'msg_', '', 'xmsg_1', 'msg_a\n']) {
    await assert.rejects(webhookHeaders({ ...MESSAGE, id }, [], REPORT_SIGNER), TypeError, id);
  }
});

test('webhook secrets: one text for each, and nothing else is one', async () => {
  const secret = randomBytes(32).toString('hex');
  assert.equal(parseSecret(formatSecret(secret)), secret);
  const text = formatSecret('5e'.repeat(32));
  for (const other of [
    text.slice(1),
    text.slice(0, -1),
    `${text}=`,
    `${text} `,
    text.replace('whsec_', 'whsk_'),
    `whsec_${Buffer.alloc(31).toString('base64')}`,
    `whsec_${Buffer.alloc(33).toString('base64')}`,
    '',
  ]) {
    assert.equal(parseSecret(other), undefined, other);
  }
});
