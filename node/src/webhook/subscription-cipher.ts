import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Fault } from '@assay/core/fault';
import { isHex, parseHex } from '@assay/core/bytes/hex';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** The environment variable with the key, 64 hexadecimal digits. */
export const WEBHOOK_KEY_VARIABLE = 'ASSAY_WEBHOOK_KEY';

/** The key of the operator's text. Throws `bad_config`, which does not quote it. */
export function parseWebhookKey(text: string): Uint8Array {
  if (isHex(text, KEY_BYTES)) return parseHex(text);
  throw new Fault('bad_config', WEBHOOK_KEY_VARIABLE, {
    expected: '64 lower-case hexadecimal digits, such as `openssl rand -hex 32` prints',
    found: `${text.length} characters`,
  });
}

/**
 * What is stored of receivers, under the operator's key. Each purpose has a key of its own (HKDF, RFC 5869). Records are encrypted by
 * AES-256-GCM with a random nonce and bound to their id; e-mails and secrets are found by HMAC-SHA256 of them, so that neither is in an index.
 */
export class SubscriptionCipher {
  readonly #records: Uint8Array;
  readonly #names: Uint8Array;

  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new TypeError('a webhook key has 32 bytes');
    this.#records = derived(key, 'assay/webhook/records/v1');
    this.#names = derived(key, 'assay/webhook/names/v1');
  }

  /** The nonce, the ciphertext and the tag, in Base64. */
  seal(id: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#records, nonce);
    cipher.setAAD(Buffer.from(id));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64');
  }

  /** The text again. Throws `key_locked` where another key sealed it, or something was changed. */
  open(id: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#records, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(id));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    } catch {
      throw new Fault('key_locked', 'subscription', {
        expected: `a record that the key in ${WEBHOOK_KEY_VARIABLE} sealed`,
        found: 'another key, or other bytes',
      });
    }
  }

  /** Under what an e-mail or a secret is found. */
  nameOf(kind: 'email' | 'secret', value: string): string {
    return createHmac('sha256', this.#names).update(`${kind}\0${value}`).digest('hex');
  }
}

function derived(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), purpose, KEY_BYTES));
}
