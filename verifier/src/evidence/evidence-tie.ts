import type { HashHex } from '@assay/core/hash/hash';
import type { Accused, ProvenEvidence } from './evidence-verdict.ts';

/** The parties that a reader knows from elsewhere than the file. */
export interface KnownParties {
  /** Verifier keys of logs and witnesses, and Ed25519 keys of publishers and co-signers in hex, as in `Accused`. */
  readonly keys: readonly string[];
  /** Log id. */
  readonly log: HashHex | null;
}

/**
 * Whether a proven file is about a party that its reader knows. `named`: it is. `other`: it shows that it is about
 * others. `unnamed`: it does not show whom it is about, or its reader named nobody; the names in it are those that its
 * keys gave themselves.
 */
export type EvidenceTie = 'named' | 'unnamed' | 'other';

/** The accused whom the reader knows: by their key, or as the log's own keys, which its id commits to. */
export function knownAccused(
  { accused, log }: Pick<ProvenEvidence, 'accused' | 'log'>,
  known: KnownParties,
): readonly Accused[] {
  const cosignerLog = known.log !== null && log === known.log;
  return accused.filter(
    ({ role, key }) => known.keys.includes(key) || (cosignerLog && isOwnKey(role)),
  );
}

/** How the file relates to its reader. */
export function evidenceTie(
  verdict: Pick<ProvenEvidence, 'accused' | 'log'>,
  known: KnownParties,
): EvidenceTie {
  if (knownAccused(verdict, known).length > 0) return 'named';
  if (known.log === null) return known.keys.length === 0 ? 'unnamed' : 'other';
  // A key that may be the log's, but is not shown to be.
  return verdict.log === null || verdict.log === known.log ? 'unnamed' : 'other';
}

/** A witness or a co-signer may sign for any log, whose id does not commit to their keys. */
function isOwnKey(role: Accused['role']): boolean {
  return role === 'log' || role === 'publisher';
}
