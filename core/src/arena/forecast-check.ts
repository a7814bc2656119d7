import { type ForecastSubject, forecastMessage } from './forecast/forecast-message.ts';
import { keyHandle } from './forecast/handle.ts';
import { houseHandles } from './forecast/house.ts';
import { parseHex } from '../bytes/hex.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { Forecast } from '../kind/forecast.ts';
import type { HandleRow } from '../view/handles.ts';

/** What is wrong with a forecast of a handle. */
export type ForecastFault =
  /** It is of a house forecaster. */
  | 'house'
  /** It has a key that is not that of its handle, or it should have one or none. */
  | 'key'
  /** Its counter is not above that of the handle's newest forecast. */
  | 'counter';

/**
 * What is wrong with a forecast, given what the log has of its handle (`handleRow`); undefined where nothing is. It does not
 * check the signature: see `forecastSignature`.
 */
export function forecastFault(
  sha256: Sha256,
  before: Pick<HandleRow, 'key' | 'counter'> | undefined,
  { handle, key, counter }: Forecast,
): ForecastFault | undefined {
  if (houseHandles(sha256).includes(handle)) return 'house';
  if (before === undefined) {
    // The first forecast of a handle with a key carries the key, of which the id is the hash.
    if ((key === null) !== (counter === null)) return 'key';
    return key === null || keyHandle(sha256, parseHex(key)) === handle ? undefined : 'key';
  }
  // Whoever has the key takes over a handle in whose name forecasts were made without it: its id is the hash of the key.
  if (key !== null && before.key === null) {
    return keyHandle(sha256, parseHex(key)) === handle ? undefined : 'key';
  }
  if (key !== null || (before.key === null) !== (counter === null)) return 'key';
  return counter === null || counter > before.counter ? undefined : 'counter';
}

/** What has to be checked of a signed forecast, in the order in which an Ed25519 check takes it. */
export interface ForecastSignature {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** The signature of a forecast by the key of its handle, hex; undefined for a handle without a key. */
export function forecastSignature(
  sha256: Sha256,
  log: HashHex,
  key: string | null,
  { round, handle, counter, nonce, sealed, commitment, signature }: Forecast,
): ForecastSignature | undefined {
  if (key === null || counter === null || signature === null) return undefined;
  const subject: ForecastSubject = { log, round, handle };
  return {
    key: parseHex(key, 32),
    message: forecastMessage(sha256, { ...subject, counter, nonce, sealed, commitment }),
    signature: parseHex(signature, 64),
  };
}
