import { type HashHex, hashHex, type Sha256, toHash } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { inclusionRanges, rootOf } from '../log/tree.ts';
import { arenaRuleOf } from '../view/arena-rules.ts';
import { forecastAt, forecastCount, forecastsOf, handleCount } from '../view/forecasts.ts';
import { logRow } from '../view/log.ts';
import { isGraded, roundRow } from '../view/rounds.ts';
import type { ViewState } from '../view/view.ts';

/** What is the path of a round's answer, but for its id. */
export const ROUNDS_PATH = '/arena/rounds';

/** Whether the log still takes forecasts of a round, has frozen them, or has graded them. */
export const ROUND_STATES = ['open', 'closed', 'graded'] as const;
export type RoundState = (typeof ROUND_STATES)[number];

/**
 * Everything that the log states about a round, and with `place` the forecast of that ordinal with its proof. Undefined where
 * there is no such round, or no such forecast.
 */
export function arenaRoundPayload(
  state: ViewState,
  sha256: Sha256,
  id: string,
  place?: number,
): object | undefined {
  const row = roundRow(state, id);
  if (row === undefined) return undefined;
  const forecast = place === undefined ? undefined : forecastPayload(state, sha256, id, place);
  if (place !== undefined && forecast === undefined) return undefined;
  const { seq, at, body, freeze, unseal, grade } = row;
  return {
    id,
    log: logRow(state)?.log ?? null,
    state: stateOf(freeze !== null, isGraded(row)),
    seq,
    at,
    round: body,
    rule: arenaRuleOf(state, body.arena_rule)?.rule ?? null,
    forecasts: handleCount(state, id),
    places: forecastCount(state, id),
    freeze,
    unseal,
    grade,
    ...(forecast === undefined ? {} : { forecast }),
  };
}

function stateOf(isFrozen: boolean, isDone: boolean): RoundState {
  if (isDone) return 'graded';
  return isFrozen ? 'closed' : 'open';
}

/** A forecast with its leaf, and once the round is frozen the proof that the frozen root holds it. */
function forecastPayload(
  state: ViewState,
  sha256: Sha256,
  id: string,
  ordinal: number,
): object | undefined {
  const found = forecastAt(state, id, ordinal);
  if (found === undefined) return undefined;
  const { seq, at, leaf, body } = found;
  const frozen = roundRow(state, id)?.freeze?.body.count;
  const proof = frozen === undefined ? null : inclusionProof(state, sha256, id, ordinal, frozen);
  return { seq, at, leaf, body, proof };
}

/** The RFC 6962 inclusion proof of a forecast's leaf among the first `size` of its round, leaf side first. */
function inclusionProof(
  state: ViewState,
  sha256: Sha256,
  id: string,
  ordinal: number,
  size: number,
): readonly HashHex[] | null {
  const leaves = [...forecastsOf(state, id)].map(({ leaf }) => toHash(parseHex(leaf, 32)));
  if (leaves.length < size || ordinal >= size) return null;
  return inclusionRanges(ordinal, size).map(({ start, end }) =>
    hashHex(rootOf(sha256, leaves.slice(start, end))),
  );
}
