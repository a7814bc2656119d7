import { createHmac } from 'node:crypto';
import { parseHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { type ReportSigner, webhookMessage } from '../key/report-signer.ts';

/** What a delivery's headers are made of (Standard Webhooks 1.0). */
export interface Delivery {
  /** The id of the message, which is the same at each attempt. */
  readonly id: string;
  /** Whole seconds since 1970 of this attempt. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/**
 * The three headers of a delivery. `webhook-signature` has a `v1` (HMAC-SHA256) for each secret, so that a receiver that knows either of two
 * can check it, and a `v1a` (Ed25519, RFC 8032) by the publisher's report key, which anybody can check. What is signed is
 * `<id>.<timestamp>.<body>`. It begins with the id, so that it is no other message that the key signs: those begin
 * with `assay`, and a transaction on Solana with a number of signatures, for which the `m` of `msg_` would be too many.
 */
export async function webhookHeaders(
  { id, timestamp, body }: Delivery,
  secrets: readonly string[],
  signer: ReportSigner,
): Promise<Readonly<Record<string, string>>> {
  const text = webhookMessage(id, timestamp, body);
  const what = { of: 'webhook', id, timestamp, body: parseUtf8(body) } as const;
  const signatures = [
    ...secrets.map(
      (secret) => `v1,${createHmac('sha256', parseHex(secret)).update(text).digest('base64')}`,
    ),
    `v1a,${Buffer.from(await signer.sign(text, what)).toString('base64')}`,
  ];
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

const PREFIX = 'whsec_';

/** A secret of 32 bytes in hex as its owner gets it: `whsec_` and Base64. */
export function formatSecret(secret: string): string {
  return PREFIX + Buffer.from(secret, 'hex').toString('base64');
}

/** The bytes of a secret in hex; undefined for what is no secret, or is written in another way than `formatSecret` writes it. */
export function parseSecret(text: string): string | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
  const secret = bytes.toString('hex');
  return bytes.length === 32 && formatSecret(secret) === text ? secret : undefined;
}
