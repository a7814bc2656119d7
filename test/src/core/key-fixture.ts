import type { HashHex } from '@assay/core/hash';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import { keyHash } from '@assay/core/view/keys';
import { type Hand, handOf } from './cosigner-fixture.ts';
import { GENESIS, sha256 } from './fixture.ts';

/** Seeds of RFC 8032, section 7.1: tests 1, 2 and 3. Genesis names the first and commits to the others. */
export const FIRST: Hand = handOf(
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
);
export const SECOND: Hand = handOf(
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
);
export const RECOVERY: Hand = handOf(
  'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
);
export const [THIRD, FOURTH, FRESH, RECOVERY_2, RECOVERY_3]: readonly [
  Hand,
  Hand,
  Hand,
  Hand,
  Hand,
] = [1, 2, 3, 4, 5].map((n) => handOf(`0${n}`.repeat(32))) as unknown as readonly [
  Hand,
  Hand,
  Hand,
  Hand,
  Hand,
];

export function committed({ key }: Hand): HashHex {
  return keyHash(sha256, key);
}

/** Who signs an entry; the keys that it names without. */
export interface Signers {
  readonly old?: Hand;
  readonly new?: Hand;
  readonly recovery?: Hand;
}

function signed(log: HashHex, said: Omit<KeyEntry, 'signatures'>, by: Signers): KeyEntry {
  const message = keyMessage(log, said);
  const of = (hand: Hand | undefined): string | null => hand?.sign(message) ?? null;
  return {
    ...said,
    signatures: { old: of(by.old), new: of(by.new) ?? '', recovery: of(by.recovery) },
  };
}

/** The rotation that genesis commits to, with members and signers replaced. */
export function rotation(
  log: HashHex,
  change: Partial<Omit<KeyEntry, 'signatures'>> = {},
  by: Signers = {},
): KeyEntry {
  const said = {
    number: 1,
    cause: 'rotation' as const,
    replaces: FIRST.key,
    revoked: false,
    key: SECOND.key,
    next_key_sha256: committed(THIRD),
    recovery_key: null,
    next_recovery_key_sha256: GENESIS['recovery_key_sha256'] as HashHex,
    ...change,
  };
  return signed(log, said, { old: FIRST, new: SECOND, ...by });
}

/** The recovery from the theft of the first key, with members and signers replaced. */
export function recovery(
  log: HashHex,
  change: Partial<Omit<KeyEntry, 'signatures'>> = {},
  by: Signers = {},
): KeyEntry {
  const said = {
    number: 1,
    cause: 'recovery' as const,
    replaces: FIRST.key,
    revoked: true,
    key: FRESH.key,
    next_key_sha256: committed(FOURTH),
    recovery_key: RECOVERY.key,
    next_recovery_key_sha256: committed(RECOVERY_2),
    ...change,
  };
  return signed(log, said, { new: FRESH, recovery: RECOVERY, ...by });
}
