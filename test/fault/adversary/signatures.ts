import { createHash } from 'node:crypto';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';

/** Checks each signature of a log once, however many readers ask: they are good or bad for all of them. */
export class Signatures {
  readonly #known = new Map<string, boolean>();

  good(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    const of = createHash('sha256').update(key).update(signature).update(message).digest('hex');
    let good = this.#known.get(of);
    if (good === undefined) {
      good = nodeVerifySignature(key, message, signature);
      this.#known.set(of, good);
    }
    return good;
  }
}
