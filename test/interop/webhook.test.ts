import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatSecret, webhookHeaders } from '@assay/node/webhook/webhook-signature';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { REPORT_SIGNER } from '../src/node/ledger/ledger-fixture.ts';
import { npmWebhooks, pythonWebhooks } from './webhook-peers.ts';

const SECRET = randomBytes(32).toString('hex');
const NEXT = randomBytes(32).toString('hex');
const now = Math.floor(Date.now() / 1000);

interface Sent {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function sent(
  name: string,
  body: string,
  secrets = [SECRET],
  timestamp = now,
): Promise<Sent> {
  const message = { id: `msg_${'9c'.repeat(16)}_0`, timestamp, body: formatUtf8(body) };
  return { name, headers: await webhookHeaders(message, secrets, REPORT_SIGNER), body };
}

const GOOD: readonly Sent[] = [
  await sent(
    'plain',
    '{"type":"print","timestamp":"2026-11-20T13:30:00Z","data":{"value":"231000"}}',
  ),
  await sent('beyond ASCII', '{"type":"close","data":{"name":"Zürich ₿ 漢 \\u0000 🜚"}}'),
  await sent('empty data', '{"type":"test","data":{}}'),
  await sent('in a rotation', '{"type":"print","data":{}}', [NEXT, SECRET]),
];
const [plain] = GOOD as [Sent];
const BAD: readonly Sent[] = [
  { ...plain, name: 'another body', body: plain.body.replace('231000', '231001') },
  { ...plain, name: 'another id', headers: { ...plain.headers, 'webhook-id': 'msg_00_0' } },
  await sent('another secret', '{}', [NEXT]),
  await sent('too old', '{}', [SECRET], now - 301),
  await sent('from the future', '{}', [SECRET], now + 360),
];

test("npm's standardwebhooks verifies what is sent, and nothing that was changed", async (t) => {
  const peer = await npmWebhooks();
  if ('missing' in peer) {
    t.skip(peer.missing);
    return;
  }
  const hook = new peer.library.Webhook(formatSecret(SECRET));
  for (const { name, headers, body } of GOOD) {
    assert.doesNotThrow(() => hook.verify(body, headers), name);
  }
  for (const { name, headers, body } of BAD) {
    assert.throws(() => hook.verify(body, headers), name);
  }
});

test("PyPI's standardwebhooks and cryptography verify both signatures, and nothing that was changed", async (t) => {
  const peer = await pythonWebhooks();
  if ('missing' in peer) {
    t.skip(peer.missing);
    return;
  }
  const check = (messages: readonly Sent[]): readonly string[] =>
    execFileSync(peer.python, ['-I', join(ROOT, 'test', 'interop', 'webhook.py')], {
      input: JSON.stringify({
        secret: formatSecret(SECRET),
        key: formatHex(REPORT_SIGNER.publicKey),
        messages,
      }),
    })
      .toString()
      .trim()
      .split('\n');
  assert.deepEqual(
    check(GOOD),
    GOOD.map(() => 'ok'),
  );
  assert.ok(check(BAD).every((each) => each === 'WebhookVerificationError'));
  // The publisher's signature alone: v1 is good, and v1a is that of another message.
  const { headers: others } = await sent('other', '{"type":"close","data":{}}');
  const other = others['webhook-signature']?.split(' ')[1];
  const [v1] = plain.headers['webhook-signature']?.split(' ') ?? [];
  const mixed = { ...plain.headers, 'webhook-signature': `${v1} ${other}` };
  assert.deepEqual(check([{ ...plain, headers: mixed }]), ['InvalidSignature']);
});
