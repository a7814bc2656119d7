import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import { unfitKey } from '@assay/core/view/key/key-changes';
import type { ReportKey } from '@assay/core/view/key/keys';
import type { ViewState } from '@assay/core/view/view';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import type { CheckContext } from './read-check.ts';
import { isTorsionFreeKey } from '../ed25519/signature.ts';

/**
 * Checks that a report key may be recorded on these rows. It must be the next key, by the promise of the key in force
 * or by the recovery key; it must be in the prime-order group; and it must have no other role in the log.
 */
export function checkKeyEntry(
  entry: KeyEntry,
  place: string,
  state: ViewState,
  sha256: Sha256,
  findings: Findings,
): void {
  const unfit = unfitKey(state, entry, sha256);
  if (unfit !== undefined) {
    findings.add('key_not_allowed', `${place}/${unfit.at}`, unfit.expected, unfit.found);
  }
  for (const member of ['key', 'recovery_key'] as const) {
    const key = entry[member];
    if (key === null || isTorsionFreeKey(parseHex(key, 32))) continue;
    const expected = 'an Ed25519 key of the prime-order group';
    findings.add('key_not_allowed', `${place}/${member}`, expected, key);
  }
}

/** A signature that a key entry carries. */
export interface KeySigning {
  readonly name: keyof KeyEntry['signatures'];
  /** The key, in hex, that must have made it. */
  readonly key: string;
  /** Hex. */
  readonly signature: string;
}

/** The two signatures of a key entry over `keyMessage`: by the new key, and by the key that authorizes it. */
export function keySignings(entry: KeyEntry): readonly KeySigning[] {
  const { old, new: own, recovery } = entry.signatures;
  const signed: readonly (readonly [KeySigning['name'], string | null, string | null])[] = [
    ['old', entry.replaces, old],
    ['new', entry.key, own],
    ['recovery', entry.recovery_key, recovery],
  ];
  return signed.flatMap(([name, key, signature]) =>
    key === null || signature === null ? [] : [{ name, key, signature }],
  );
}

/** Checks the two signatures of a key entry: by the new key, and by the key that authorizes it. */
export async function checkKeySignatures(
  entry: KeyEntry,
  log: HashHex,
  place: string,
  { verifySignature }: Pick<Environment, 'verifySignature'>,
  { findings, tally }: Pick<CheckContext, 'findings' | 'tally'>,
): Promise<void> {
  const message = keyMessage(log, entry);
  for (const { name, key, signature } of keySignings(entry)) {
    const good = await verifySignature(parseHex(key, 32), message, parseHex(signature, 64));
    tally.signatures += 1;
    if (good) continue;
    const found = 'one that does not verify';
    findings.add(
      'key_bad_signature',
      `${place}/signatures/${name}`,
      `a signature by ${key}`,
      found,
    );
  }
}

/** Whose signature it is when the key in force did not make it: another key of the log, or none of them. */
export async function signerOf(
  message: Uint8Array,
  signature: string,
  keys: readonly ReportKey[],
  { verifySignature }: Environment,
): Promise<string> {
  for (const { key, number, seq, to_seq: end } of keys) {
    if (!(await verifySignature(parseHex(key, 32), message, parseHex(signature, 64)))) continue;
    return `one by key ${number}, ${end === null ? `which comes with entry ${seq}` : `which entry ${end} ended`}`;
  }
  return 'one that does not verify';
}
