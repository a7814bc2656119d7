import {
  forecastMessage,
  type ForecastSubject,
  isForecastValue,
  MAX_FORECAST,
  plainCommitment,
  sealedMessage,
} from './forecast-message.ts';
import { foldName, keyHandle, secretHandle } from './handle.ts';
import { formatHex } from '../../bytes/hex.ts';
import { Fault } from '../../fault.ts';
import type { HashHex, Sha256 } from '../../hash/hash.ts';
import { isDecimal, parseDecimal, roundScaled } from '../../number/rational.ts';
import type { Sealer } from '../../timelock/sealed.ts';

/** The body of `POST /arena/forecast`. */
export interface ForecastRequest {
  readonly question: string;
  readonly handle: string;
  readonly nonce: string;
  /** A decimal number as text; only of a forecast that is not sealed. */
  readonly value?: string;
  readonly salt?: string;
  readonly sealed?: string;
  readonly secret?: string;
  readonly handle_salt?: string;
  readonly key?: string;
  readonly counter?: number;
  readonly signature?: string;
}

/** Signs with the Ed25519 key of a handle, without revealing it. */
export interface HandleSigner {
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** Whose forecast it is: a handle with a key of its own, or one with a secret that the server gave it. */
export type Owner =
  | { readonly kind: 'key'; readonly signer: HandleSigner; readonly counter: number }
  | { readonly kind: 'secret'; readonly salt: Uint8Array; readonly secret: string | null };

export interface DraftInput {
  readonly log: HashHex;
  readonly round: string;
  readonly name: string;
  readonly owner: Owner;
  /** A scaled integer. */
  readonly value: bigint;
  /** The value as decimal text. */
  readonly text: string;
  /** Seals to the round's drand round; undefined for a forecast that is not sealed. */
  readonly sealer: Sealer | undefined;
  /** 32 random bytes each: the nonce, and the salt of a commitment or the sigma of a seal. */
  readonly nonce: Uint8Array;
  readonly random: Uint8Array;
}

/** A request with what it commits to, from which its leaf can be made again. */
export interface Draft {
  readonly request: ForecastRequest;
  /** The handle's id, hex. */
  readonly handle: string;
  readonly sealed: string | null;
  readonly commitment: HashHex | null;
}

/** The request of one forecast. Throws `malformed` for a name that no handle may have. */
export function draftForecast(sha256: Sha256, input: DraftInput): Draft {
  const { log, round, name, owner, value, text, sealer, nonce, random } = input;
  const folded = foldName(name);
  const handle =
    owner.kind === 'key'
      ? keyHandle(sha256, owner.signer.publicKey)
      : secretHandle(sha256, owner.salt, folded);
  const subject: ForecastSubject = { log, round, handle };
  const sealed =
    sealer === undefined
      ? null
      : formatHex(sealer.seal(sealedMessage(sha256, subject, value), random));
  const commitment = sealed === null ? plainCommitment(sha256, subject, random, value) : null;
  const common = {
    question: round,
    handle: folded,
    nonce: formatHex(nonce),
    ...(sealed === null ? { value: text, salt: formatHex(random) } : { sealed }),
  };
  if (owner.kind === 'secret') {
    const proof =
      owner.secret === null ? { handle_salt: formatHex(owner.salt) } : { secret: owner.secret };
    return { request: { ...common, ...proof }, handle, sealed, commitment };
  }
  const { counter, signer } = owner;
  const signed = { ...subject, counter, nonce: common.nonce, sealed, commitment };
  const signature = formatHex(signer.sign(forecastMessage(sha256, signed)));
  const key = formatHex(signer.publicKey);
  return { request: { ...common, key, counter, signature }, handle, sealed, commitment };
}

/**
 * A decimal number as a scaled integer. Throws `malformed` for what is no number, has more decimals than the index, or is
 * beyond what a forecast may be.
 */
export function scaledValue(text: string, decimals: number): bigint {
  const [, fraction = ''] = text.split('.');
  if (isDecimal(text) && fraction.length <= decimals) {
    const value = roundScaled(parseDecimal(text), decimals, 'half_away');
    if (isForecastValue(value)) return value;
  }
  const expected = `a number with at most ${decimals} decimals, within ${MAX_FORECAST} units of the last one`;
  throw new Fault('malformed', 'forecast', { expected, found: text });
}
