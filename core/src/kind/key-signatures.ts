import { malformed } from '../wire/schema.ts';

/** What the entries of both sorts of keys say of who signed the change. */
export interface SignedKeyChange {
  readonly cause: 'rotation' | 'recovery';
  /** For a recovery, the recovery key that was committed to, hex. */
  readonly recovery_key: string | null;
  readonly signatures: { readonly old: string | null; readonly recovery: string | null };
}

/**
 * Requires the signatures of the cause, and no others: a rotation is signed by the key before, and a recovery by the
 * recovery key, which it shows. Throws `malformed`.
 */
export function requireCauseSignatures(entry: SignedKeyChange, at: string): void {
  const { cause, signatures, recovery_key: key } = entry;
  const recovers = cause === 'recovery';
  const demands: readonly (readonly [string, string | null, boolean])[] = [
    ['signatures.old', signatures.old, !recovers],
    ['signatures.recovery', signatures.recovery, recovers],
    ['recovery_key', key, recovers],
  ];
  for (const [member, found, wanted] of demands) {
    if ((found !== null) === wanted) continue;
    throw malformed(`${at}.${member}`, wanted ? `one of a ${cause}` : `none of a ${cause}`, found);
  }
}
