import type { Evidence } from '@assay/core/proof/evidence';
import { Fault, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';

/**
 * The role in which the key broke a promise: `log` and `witness` sign checkpoints, `publisher` and `cosigner` sign
 * numbers. `signer` is a key that signed numbers, where nothing in the file shows whose.
 */
export type AccusedRole = 'log' | 'witness' | 'publisher' | 'cosigner' | 'signer';

export interface Accused {
  readonly role: AccusedRole;
  /** A verifier key for `log` and `witness`; an Ed25519 key in hex for the others. */
  readonly key: string;
  /** The key's name in the file: an origin or a witness's name; null where it has none. */
  readonly name: string | null;
}

/**
 * Why a file proves nothing. `format`: it is no evidence file. `signature`: one does not verify. `genesis`: its entry 0
 * is not that of this key. `proof`: one does not lead to its signed root. `consistent`: everything that was signed can
 * hold together.
 */
export type EvidenceFaultCode = 'format' | 'signature' | 'genesis' | 'proof' | 'consistent';

export interface EvidenceFault {
  readonly code: EvidenceFaultCode;
  readonly message: string;
}

/** The result for a file. Only a proven one accuses anybody. */
export type EvidenceVerdict = ProvenEvidence | UnprovenEvidence;

/** What a proven file shows. Its sentences may hold names that others chose. */
export interface Proven {
  /** The log id that the file shows; null where it shows none. */
  readonly log: HashHex | null;
  /** At least one. */
  readonly accused: readonly Accused[];
  /** What was signed. */
  readonly says: string;
  /** What shows it. */
  readonly shown: string;
  /** What a reader must know from elsewhere, one sentence each. */
  readonly open: readonly string[];
}

export interface ProvenEvidence extends Proven {
  readonly proven: true;
  readonly kind: Evidence['kind'];
  readonly faults: readonly [];
}

export interface UnprovenEvidence {
  readonly proven: false;
  /** Null where the file has no known kind. */
  readonly kind: Evidence['kind'] | null;
  readonly log: null;
  readonly accused: readonly [];
  readonly says: string;
  /** Exactly one, because anything after it would rest on what does not hold. */
  readonly faults: readonly [EvidenceFault];
}

/** Ends a check. */
export class Unproven extends Error {
  readonly code: EvidenceFaultCode;

  constructor(code: EvidenceFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns what `take` returns; a `Fault` in what was given ends the check. */
export function orUnproven<T>(code: EvidenceFaultCode, what: string, take: () => T): T {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Unproven(code, `${what}: ${messageOf(error)}`);
  }
}

/** Ends the check unless the condition holds. */
export function demand(holds: boolean, code: EvidenceFaultCode, message: string): void {
  if (!holds) throw new Unproven(code, message);
}

/** This applies to every signature: it shows which key signed, and never who used the key. */
export const THIEF = 'whether the holder of a key signed or a thief: a signature does not tell';
