import type { Sha256 } from '@assay/core/hash';
import { nobleSha256 } from '@assay/core/noble-sha256';
import { verifySignatureAsync } from './signature.ts';
import type { VerifySignatureAsync } from './ed25519-profile.ts';

/** What a verification runs on. Node gives faster ones; the accepted set is the same. */
export interface Environment {
  readonly sha256: Sha256;
  readonly verifySignature: VerifySignatureAsync;
  /** Called now and then with what has been done of what is known to be there. */
  readonly progress?: (done: number, total: number, what: string) => void;
}

/** Plain JavaScript and WebCrypto: what a browser has. */
export const PORTABLE: Environment = {
  sha256: nobleSha256,
  verifySignature: verifySignatureAsync,
};
