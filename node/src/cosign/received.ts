import type { HashHex } from '@assay/core/hash/hash';
import type { Quorum } from '@assay/core/round/quorum';

/** The result for a statement that was received. A refusal leaves no trace. */
export type Received =
  | {
      /** `recorded`: it is new. `known`: it was recorded before. */
      readonly kind: 'recorded' | 'known';
      readonly seq: number;
      readonly leaf: HashHex;
      readonly quorum: Quorum;
      /** A C2SP tlog-proof@v1: the entry is in a checkpoint that everybody is shown. */
      readonly proof: string;
    }
  /** It is committed, but no published checkpoint holds it yet. */
  | { readonly kind: 'unpublished'; readonly seq: number; readonly quorum: Quorum }
  /** An abstention, for which the log has no place. */
  | { readonly kind: 'noted'; readonly quorum: Quorum }
  /** Its key is in no set of the log. */
  | { readonly kind: 'unknown_cosigner' }
  /** The log shows no such report. */
  | { readonly kind: 'not_found' }
  | {
      /** `bad_signature`: it is not signed by the key that it names. `refused`: the log must not hold it. */
      readonly kind: 'bad_signature' | 'refused';
      /** The place in the statement. */
      readonly at: string;
      readonly expected: string;
      readonly found: string;
    }
  /** Too many statements. After so many seconds another may be accepted. */
  | { readonly kind: 'busy'; readonly retryAfterS: number }
  /** Nothing can be written, or there is no record to check a statement against. */
  | { readonly kind: 'halted' };
