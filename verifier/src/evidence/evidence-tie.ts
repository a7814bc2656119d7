import type { HashHex } from '@assay/core/hash/hash';
import type { Accused, ProvenEvidence } from './evidence-verdict.ts';

/** Whom a reader knows, from elsewhere than the file. */
export interface KnownParties {
  /** Verifier keys of logs and witnesses, Ed25519 keys of publishers and co-signers in hex: as `Accused` has them. */
  readonly keys: readonly string[];
  /** Log id. */
  readonly log: HashHex | null;
}

/**
 * Whether a proven file is about somebody whom its reader knows. `named`: it is. `other`: it shows that it is about
 * others. `unnamed`: it does not show whom it is about, or its reader named nobody; names in it are those that its keys
 * gave themselves.
 */
export type EvidenceTie = 'named' | 'unnamed' | 'other';

/** The accused whom the reader knows: by their key, or as the own keys of the log, which its id commits to. */
export function knownAccused(
  { accused, log }: Pick<ProvenEvidence, 'accused' | 'log'>,
  known: KnownParties,
): readonly Accused[] {
  const ownLog = known.log !== null && log === known.log;
  return accused.filter(({ role, key }) => known.keys.includes(key) || (ownLog && isOwnKey(role)));
}

/** What the file is to its reader. */
export function evidenceTie(
  verdict: Pick<ProvenEvidence, 'accused' | 'log'>,
  known: KnownParties,
): EvidenceTie {
  if (knownAccused(verdict, known).length > 0) return 'named';
  if (known.log === null) return known.keys.length === 0 ? 'unnamed' : 'other';
  // A key that may be the log's, and is not shown to be.
  return verdict.log === null || verdict.log === known.log ? 'unnamed' : 'other';
}

/** A witness or a co-signer may sign what is of any log: its id says nothing of them. */
function isOwnKey(role: Accused['role']): boolean {
  return role === 'log' || role === 'publisher';
}
