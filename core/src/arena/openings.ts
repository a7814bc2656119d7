import { isForecastValue, plainCommitment, sealedValue } from './forecast/forecast-message.ts';
import { parseRoundId } from './forecast/round-id.ts';
import { parseHex } from '../bytes/hex.ts';
import { SALT_BYTES } from '../hash/commitment.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import { MAX_FORECASTS } from '../kind/forecast.ts';
import type { ForecastRow } from '../view/forecasts.ts';
import { array, hex, i64, integer, literal, object, type Parse } from '../wire/schema.ts';
import { formatWire, parseWire } from '../wire/wire.ts';
import type { WorkBudget } from '../work-budget.ts';

/** What opens a forecast that was not sealed. */
export interface ForecastOpening {
  readonly ordinal: number;
  /** 32 bytes, hex. */
  readonly salt: string;
  /** A scaled integer as text. */
  readonly value: string;
}

/** The blob that a freeze names: the openings of every forecast of its round that is not sealed, by ordinal. */
export interface ForecastOpenings {
  readonly type: 'assay-openings/1';
  /** The id of the round. */
  readonly round: string;
  readonly openings: readonly ForecastOpening[];
}

const parseShape: Parse<ForecastOpenings> = object<ForecastOpenings>({
  type: literal('assay-openings/1'),
  round: parseRoundId,
  openings: array(
    object<ForecastOpening>({
      ordinal: integer(0, MAX_FORECASTS - 1),
      salt: hex(SALT_BYTES),
      value: i64,
    }),
    1,
    MAX_FORECASTS,
  ),
});

/** Canonical JSON. */
export function formatOpenings(openings: ForecastOpenings): Uint8Array {
  return formatWire(openings);
}

/** Throws the errors of `parseWire`, and `malformed`. */
export function parseOpenings(bytes: Uint8Array, work?: WorkBudget): ForecastOpenings {
  return parseShape(parseWire(bytes, work), 'openings');
}

/** A forecast with the value that its opening shows. */
export interface OpenedForecast {
  readonly ordinal: number;
  readonly value: bigint;
}

/**
 * The value that an opening shows for a forecast that is not sealed; undefined where it does not open it, or where the value is
 * out of bounds.
 */
export function openPlain(
  sha256: Sha256,
  log: HashHex,
  { body }: Pick<ForecastRow, 'body'>,
  { salt, value: text }: ForecastOpening,
): bigint | undefined {
  const value = BigInt(text);
  if (body.commitment === null || !isForecastValue(value)) return undefined;
  const subject = { log, round: body.round, handle: body.handle };
  const commitment = plainCommitment(sha256, subject, parseHex(salt, SALT_BYTES), value);
  return commitment === body.commitment ? value : undefined;
}

/**
 * The value of a sealed forecast. `open` opens its 160 bytes with the signature of the beacon's round (`openSealed`).
 * Undefined where nothing opens, where the message was made for another handle, round or log, and where the value is out of
 * bounds.
 */
export function openSealedForecast(
  sha256: Sha256,
  log: HashHex,
  { body }: Pick<ForecastRow, 'body'>,
  open: (sealed: Uint8Array) => Uint8Array | undefined,
): bigint | undefined {
  const message = body.sealed === null ? undefined : open(parseHex(body.sealed));
  const subject = { log, round: body.round, handle: body.handle };
  return message === undefined ? undefined : sealedValue(sha256, subject, message);
}
