import { createHmac } from 'node:crypto';
import { foldName } from '@assay/core/arena/forecast/handle';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { ForecastBody } from './forecast-body.ts';

/**
 * What is stored of requests with an Idempotency-Key. All of it is keyed with 32 bytes that no back-up has, so that who has a
 * back-up can neither try out keys nor get a secret by one.
 */
export class RequestHashes {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** The id of a request: each handle has its own in each round. */
  id({ question, handle }: ForecastBody, idempotencyKey: string): string {
    return this.#mac('request', question, foldName(handle), idempotencyKey).toString('hex');
  }

  /** What the body of a request has to be for the same answer. */
  body(body: ForecastBody): string {
    return this.#mac('body', JSON.stringify(body)).toString('hex');
  }

  /**
   * A secret added to a pad that needs the Idempotency-Key and the nonce of the request; and the secret again from that. Null
   * where the client chose no nonce: such a request could be made by somebody who guesses what it was.
   */
  padded(secret: string, body: ForecastBody, idempotencyKey: string): string | null {
    const { question, handle, nonce } = body;
    if (nonce === null) return null;
    const pad = this.#mac('secret', question, foldName(handle), nonce, idempotencyKey);
    const bytes = parseHex(secret, pad.length);
    return formatHex(Uint8Array.from(bytes, (byte, i) => byte ^ (pad[i] as number)));
  }

  #mac(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest();
  }
}
