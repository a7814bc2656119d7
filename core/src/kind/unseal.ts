import { parseRoundId } from '../arena/forecast/round-id.ts';
import { hex, malformed, nullable, object, oneOf, type Parse, string } from '../wire/schema.ts';

/** Why the forecasts of a round were never opened. */
export const UNSEAL_VOIDS = ['unwitnessed', 'no_beacon', 'too_late'] as const;
export type UnsealVoid = (typeof UNSEAL_VOIDS)[number];

/** The most characters of a signed note in an entry. */
export const MAX_UNSEAL_NOTE = 16_384;

/** What opens the sealed forecasts of a frozen round, or the reason for which they stay shut. */
export interface Unseal {
  /** The id of the round. */
  readonly round: string;
  /** The 48 bytes of the beacon's signature of the round's `drand_round`, hex; null for a void round. */
  readonly signature: string | null;
  /** A signed checkpoint that covers the freeze, with the lines of witnesses; null for a void round. */
  readonly note: string | null;
  /** Null where the round was opened. */
  readonly void_reason: UnsealVoid | null;
}

const parseShape: Parse<Unseal> = object<Unseal>({
  round: parseRoundId,
  signature: nullable(hex(48)),
  note: nullable(string(1, MAX_UNSEAL_NOTE)),
  void_reason: nullable(oneOf(UNSEAL_VOIDS)),
});

/** An unsealing's body, or `malformed`. It has a signature and a note, or a reason, and not both. */
export const parseUnseal: Parse<Unseal> = (value, at) => {
  const unseal = parseShape(value, at);
  const isVoid = unseal.void_reason !== null;
  if ((unseal.signature === null) !== isVoid) {
    throw malformed(`${at}.signature`, 'a signature or a reason', unseal.signature);
  }
  if ((unseal.note === null) !== isVoid) {
    throw malformed(`${at}.note`, 'a note or a reason', unseal.note);
  }
  return unseal;
};
