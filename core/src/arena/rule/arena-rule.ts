import { Fault } from '../../fault.ts';
import { contentHash, type HashHex, hashHex, type Sha256 } from '../../hash/hash.ts';
import { NOTE_COSIGNATURE, parseNoteKey } from '../../log/note.ts';
import { parseTicker, type Ticker } from '../../rule/ticker.ts';
import { type BeaconChain, beaconChainParser } from '../../timelock/beacon-chain.ts';
import {
  array,
  integer,
  literal,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '../../wire/schema.ts';
import { formatWire, wire } from '../../wire/wire.ts';

/**
 * How questions are asked and forecasts are taken, opened and graded. It contains every constant, so that anyone who
 * has the log gets the same questions, rounds and points (docs/spec/arena-rule.md).
 */
export interface ArenaRule {
  readonly type: 'assay-arena-rule/1';
  readonly version: number;
  /** Null where no questions are asked. */
  readonly referee: RefereeRule | null;
  /** Null where no rounds are made. */
  readonly arena: RoundRule | null;
}

/** How each event of a class becomes a question. */
export interface RefereeRule {
  readonly class: 'crypto';
  /** The score from which on the answer is yes. */
  readonly threshold: number;
  /** Seconds from the opening of the event until the tick that decides is looked for. */
  readonly horizon_s: number;
  /** Seconds from the opening of the event during which answers are taken. */
  readonly window_s: number;
  /** Seconds in which a tick can decide. */
  readonly tolerance_s: number;
  /** How many earlier outcomes of its group the service's answer needs. */
  readonly least_group: number;
}

/** How each index gets its rounds. */
export interface RoundRule {
  /** The drand chain that forecasts are sealed to, with its hash and its scheme. */
  readonly drand: BeaconChain;
  /** Seconds from the close of a round to the drand round that opens its forecasts. */
  readonly seal_margin_s: number;
  readonly witnesses: RoundWitnesses;
  /** The error, in percent of the print, from which on a forecast earns nothing. */
  readonly zero_points_at: number;
  /** Graded forecasts from which on a handle is ranked. */
  readonly ranked_from: number;
  /** How many ranked handles the arena number is made of. */
  readonly top: number;
  /** What is added to the number of graded forecasts where skill is averaged. */
  readonly shrink: number;
  /** Points from which on a forecast continues a streak. */
  readonly streak_points: number;
  /** First prints whose median the second house forecaster gives. */
  readonly median_window: number;
  /** The indices that have rounds, by their tickers. */
  readonly indices: readonly RoundIndex[];
}

/** Whose lines on a checkpoint show that forecasts were frozen in time. */
export interface RoundWitnesses {
  /** Verifier keys as signed notes have them, type 04, ascending, each once. */
  readonly keys: readonly string[];
  /** How many of them must have signed. */
  readonly required: number;
}

/** From when on the number of an index may be known: when it is released, or when its period is over. */
export const KNOWN_FROM = ['release', 'period_end'] as const;
export type KnownFrom = (typeof KNOWN_FROM)[number];

/** When the rounds of an index are open. */
export interface RoundIndex {
  readonly ticker: Ticker;
  readonly known: KnownFrom;
  /** Seconds that a round is open. */
  readonly window_s: number;
  /** Seconds from the close of a round until its number may be known. */
  readonly close_before_s: number;
}

const MAX_WITNESSES = 64;
const MAX_INDICES = 256;
const YEAR_SECONDS = 31_622_400;
const score = integer(0, 100);
const seconds = integer(1, YEAR_SECONDS);

function witnessKey(sha256: Sha256): Parse<string> {
  return (value, at) => {
    const text = string(1, 512)(value, at);
    try {
      parseNoteKey(sha256, text, NOTE_COSIGNATURE);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw malformed(at, 'the verifier key of a witness', text);
    }
    return text;
  };
}

const parseReferee: Parse<RefereeRule> = object<RefereeRule>({
  class: literal('crypto'),
  threshold: score,
  horizon_s: seconds,
  window_s: seconds,
  tolerance_s: seconds,
  least_group: integer(1, 1_000_000),
});

const parseIndex: Parse<RoundIndex> = object<RoundIndex>({
  ticker: parseTicker,
  known: oneOf(KNOWN_FROM),
  window_s: seconds,
  close_before_s: seconds,
});

function roundRuleParser(sha256: Sha256): Parse<RoundRule> {
  return object<RoundRule>({
    drand: beaconChainParser(sha256),
    seal_margin_s: seconds,
    witnesses: object<RoundWitnesses>({
      keys: array(witnessKey(sha256), 1, MAX_WITNESSES),
      required: integer(1, MAX_WITNESSES),
    }),
    zero_points_at: integer(1, 1000),
    ranked_from: integer(1, 1000),
    top: integer(1, 100),
    shrink: integer(0, 1000),
    streak_points: score,
    median_window: integer(1, 100),
    indices: array(parseIndex, 1, MAX_INDICES),
  });
}

/** A parser of arena rules: it throws `malformed`, also where two members exclude each other. */
export function arenaRuleParser(sha256: Sha256): Parse<ArenaRule> {
  const parseShape = object<ArenaRule>({
    type: literal('assay-arena-rule/1'),
    version: integer(1, 1_000_000),
    referee: nullable(parseReferee),
    arena: nullable(roundRuleParser(sha256)),
  });
  return (value, at) => {
    const rule = parseShape(value, at);
    for (const [holds, place, expected] of demandsOf(rule)) {
      if (!holds) throw malformed(`${at}.${place}`, expected, wire(rule));
    }
    return rule;
  };
}

function demandsOf({
  referee,
  arena,
}: ArenaRule): readonly (readonly [holds: boolean, place: string, expected: string])[] {
  const demands: (readonly [boolean, string, string])[] = [];
  if (referee !== null) {
    const { window_s, horizon_s } = referee;
    demands.push([window_s < horizon_s, 'referee.window_s', 'less than the horizon']);
  }
  if (arena !== null) {
    const { witnesses, indices, seal_margin_s } = arena;
    const { keys, required } = witnesses;
    const tickers = indices.map(({ ticker }) => ticker);
    const isSoon = indices.every(({ close_before_s }) => seal_margin_s < close_before_s);
    demands.push(
      [isAscending(keys), 'arena.witnesses.keys', 'ascending, each once'],
      [required <= keys.length, 'arena.witnesses.required', `at most ${keys.length}`],
      [isAscending(tickers), 'arena.indices', 'by ticker, each once'],
      // Otherwise the number could be known before the forecasts can be opened, and every round were void.
      [isSoon, 'arena.seal_margin_s', 'less than every close_before_s'],
    );
  }
  return demands;
}

function isAscending(texts: readonly string[]): boolean {
  return texts.every((text, i) => i === 0 || (texts[i - 1] as string) < text);
}

/** `sha256(canonical rule)`. */
export function arenaRuleHash(sha256: Sha256, rule: ArenaRule): HashHex {
  return hashHex(contentHash(sha256, formatWire(rule)));
}
