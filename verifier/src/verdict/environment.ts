import type { Sha256 } from '@assay/core/hash/hash';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import type { TextKind } from '@assay/core/rule/rule';
import { verifySignatureAsync } from '../ed25519/signature.ts';
import type { VerifySignatureAsync } from '../ed25519/profile.ts';

/** What a verification runs on. Node gives faster ones; the accepted set is the same. */
export interface Environment {
  readonly sha256: Sha256;
  readonly verifySignature: VerifySignatureAsync;
  /**
   * Takes text from the pages of an answer again; undefined for a kind that it cannot take. Without it
   * the kept text is believed, and the verdict says so.
   */
  readonly extractText?: (
    kind: TextKind,
    pages: readonly Uint8Array[],
  ) => Promise<ExtractedText | undefined>;
  /** Resolves when timers and signals have had their turn; without it a long stretch holds them up. */
  readonly pause?: () => Promise<void>;
  /** Called now and then with what has been done of what is known to be there. */
  readonly progress?: (done: number, total: number, what: string) => void;
}

export interface ExtractedText {
  readonly name: string;
  readonly version: string;
  /** Null where the pages give none. */
  readonly bytes: Uint8Array | null;
}

/** Plain JavaScript and WebCrypto: what a browser has. */
export const PORTABLE: Environment = {
  sha256: nobleSha256,
  verifySignature: verifySignatureAsync,
};
