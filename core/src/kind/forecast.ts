import { HANDLE_KEY_BYTES, parseHandle } from '../arena/forecast/handle.ts';
import { parseRoundId } from '../arena/forecast/round-id.ts';
import type { HashHex } from '../hash/hash.ts';
import { hashHex, hex, integer, malformed, nullable, object, type Parse } from '../wire/schema.ts';

/** The bytes of a sealed forecast: an identity-based ciphertext of 32 bytes. */
export const SEALED_BYTES = 160;

/** The most forecasts of one round. */
export const MAX_FORECASTS = 10_000_000;

/** A forecast as it came. A later one of the same handle replaces it in its round, and nothing removes it. */
export interface Forecast {
  /** The id of the round. */
  readonly round: string;
  /** Its place among the forecasts of the round, from 0. */
  readonly ordinal: number;
  /** The handle's id, hex. The name that stands behind it is not in the log. */
  readonly handle: string;
  /** The Ed25519 key of a handle that brings one, hex; only in the handle's first forecast. */
  readonly key: string | null;
  /** It rises with each forecast of a handle with a key, and is null for every other handle. */
  readonly counter: number | null;
  /** The sealed bytes, hex; null where the forecast is not sealed. */
  readonly sealed: string | null;
  /** The commitment of a forecast that is not sealed; null where it is sealed. */
  readonly commitment: HashHex | null;
  /** 32 bytes that the client chose, hex. */
  readonly nonce: string;
  /** Ed25519 by the handle's key over `forecastMessage`, hex; null for a handle without a key. */
  readonly signature: string | null;
}

const parseShape: Parse<Forecast> = object<Forecast>({
  round: parseRoundId,
  ordinal: integer(0, MAX_FORECASTS - 1),
  handle: parseHandle,
  key: nullable(hex(HANDLE_KEY_BYTES)),
  counter: nullable(integer(1, Number.MAX_SAFE_INTEGER)),
  sealed: nullable(hex(SEALED_BYTES)),
  commitment: nullable(hashHex),
  nonce: hex(32),
  signature: nullable(hex(64)),
});

/** A forecast's body, or `malformed`. It is sealed or committed to, and signed where its handle has a key. */
export const parseForecast: Parse<Forecast> = (value, at) => {
  const forecast = parseShape(value, at);
  const { key, counter, sealed, commitment, signature } = forecast;
  if ((sealed === null) === (commitment === null)) {
    throw malformed(`${at}.commitment`, 'sealed bytes or a commitment, and not both', commitment);
  }
  if ((counter === null) !== (signature === null)) {
    throw malformed(`${at}.signature`, 'a counter and a signature, or neither', signature);
  }
  if (key !== null && counter === null) {
    throw malformed(`${at}.counter`, 'a counter beside a key', counter);
  }
  return forecast;
};
