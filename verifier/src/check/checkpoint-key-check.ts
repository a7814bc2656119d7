import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import {
  type CheckpointKeyBody,
  checkpointKeyMessage,
  checkpointPromiseMessage,
} from '@assay/core/kind/checkpoint-key';
import { unfitCheckpointKey } from '@assay/core/view/key/checkpoint-key-changes';
import type { ViewState } from '@assay/core/view/view';
import { isTorsionFreeKey } from '../ed25519/signature.ts';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import type { CheckContext } from './read-check.ts';

/**
 * Checks that entry `seq`, a promise of a checkpoint key or such a key, may be recorded on these rows. The key must be
 * the one that was promised, end the one before it with this entry, be in the prime-order group, and have no other role
 * in the log. Returns whether it changes the rows.
 */
export function checkCheckpointKey(
  body: CheckpointKeyBody,
  seq: number,
  place: string,
  state: ViewState,
  sha256: Sha256,
  findings: Findings,
): boolean {
  const unfit = unfitCheckpointKey(state, body, seq, sha256);
  if (unfit !== undefined) {
    findings.add('key_not_allowed', `${place}/${unfit.at}`, unfit.expected, unfit.found);
  }
  const shown: readonly (readonly [string, string | null])[] = [
    ...(body.type === 'checkpoint-key' ? [['key', body.key] as const] : []),
    ['recovery_key', body.recovery_key],
  ];
  for (const [member, key] of shown) {
    if (key === null || isTorsionFreeKey(parseHex(key, 32))) continue;
    const expected = 'an Ed25519 key of the prime-order group';
    findings.add('key_not_allowed', `${place}/${member}`, expected, key);
  }
  return unfit === undefined;
}

/** A signature that a `key/2` carries, and what it is over. */
export interface CheckpointKeySigning {
  /** The member that holds the signature. */
  readonly at: string;
  /** The key, in hex, that must have made it. */
  readonly key: string;
  readonly message: Uint8Array;
  /** Hex. */
  readonly signature: string;
}

/** The signatures of a `key/2`: of a promise by the recovery key, of a key by itself and by whoever authorizes it. */
export function checkpointKeySignings(
  body: CheckpointKeyBody,
  log: HashHex,
): readonly CheckpointKeySigning[] {
  if (body.type === 'checkpoint-promise') {
    const message = checkpointPromiseMessage(log, body);
    return [{ at: 'signature', key: body.recovery_key, message, signature: body.signature }];
  }
  const { old, new: own, recovery } = body.signatures;
  const message = checkpointKeyMessage(log, body);
  const signed: readonly (readonly [string, string | null, string | null])[] = [
    ['old', body.replaces, old],
    ['new', body.key, own],
    ['recovery', body.recovery_key, recovery],
  ];
  return signed.flatMap(([name, key, signature]) =>
    key === null || signature === null
      ? []
      : [{ at: `signatures/${name}`, key, message, signature }],
  );
}

/** Checks the signatures of a promise of a checkpoint key, or of such a key. */
export async function checkCheckpointKeySignatures(
  body: CheckpointKeyBody,
  log: HashHex,
  place: string,
  { verifySignature }: Pick<Environment, 'verifySignature'>,
  { findings, tally }: Pick<CheckContext, 'findings' | 'tally'>,
): Promise<void> {
  for (const { at, key, message, signature } of checkpointKeySignings(body, log)) {
    const good = await verifySignature(parseHex(key, 32), message, parseHex(signature, 64));
    tally.signatures += 1;
    if (good) continue;
    const expected = `a signature by ${key}`;
    findings.add('key_bad_signature', `${place}/${at}`, expected, 'one that does not verify');
  }
}
