import type { Weighted } from '../arena/forecast/arena-number.ts';
import { parseHandle } from '../arena/forecast/handle.ts';
import { parseRoundId } from '../arena/forecast/round-id.ts';
import type { HashHex } from '../hash/hash.ts';
import {
  array,
  hashHex,
  integer,
  malformed,
  nullable,
  object,
  type Parse,
} from '../wire/schema.ts';
import { MAX_FORECASTS } from './forecast.ts';

/** The end of a round's forecasts. None comes after it. */
export interface Freeze {
  /** The id of the round. */
  readonly round: string;
  /** How many forecasts it has. */
  readonly count: number;
  /** The root of the tree over their leaves (RFC 6962), in the order of their ordinals. */
  readonly root: HashHex;
  /** How many handles they are of. */
  readonly handles: number;
  /** sha256 of the blob that opens those that are not sealed; null where there are none. */
  readonly openings: HashHex | null;
  /** The handles that count in the arena number, the best first, and their weights. */
  readonly top: readonly Weighted[];
}

const count = integer(0, MAX_FORECASTS);

const parseShape: Parse<Freeze> = object<Freeze>({
  round: parseRoundId,
  count,
  root: hashHex,
  handles: count,
  openings: nullable(hashHex),
  top: array(object<Weighted>({ handle: parseHandle, weight: integer(0, 10_000) }), 0, 100),
});

/** A freeze's body, or `malformed`. */
export const parseFreeze: Parse<Freeze> = (value, at) => {
  const freeze = parseShape(value, at);
  const { count: all, handles, top } = freeze;
  if (handles > all || (handles === 0) !== (all === 0)) {
    throw malformed(`${at}.handles`, `as many as ${all} forecasts can be of`, handles);
  }
  if (new Set(top.map(({ handle }) => handle)).size !== top.length || top.length > handles) {
    throw malformed(`${at}.top`, `each of ${handles} handles at most once`, top.length);
  }
  return freeze;
};
