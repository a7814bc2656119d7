import { hundredths } from '@assay/core/answer/terminal/terminal-event';
import type { EventGroup } from '@assay/core/kind/event-group';
import type { EdgeGroup } from '@assay/core/terminal/edge/edge-groups';
import { formatTime } from '@assay/core/time/time';
import { type AssetRow, assetRow } from '@assay/core/view/assets';
import { newestScoreRule } from '@assay/core/view/score-rules';
import { type EventRow, openEvent, pastEvents } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { answerRate, type NoRateReason } from './base-rate-answer.ts';
import {
  type FrozenStudy,
  groupIn,
  type GroupPayload,
  groupPayload,
  type JudgedGroup,
  judgedGroup,
  sourceOf,
  type StudySource,
} from './base-rate-group.ts';
import { caveatTexts, plainText } from './base-rate-text.ts';
import type { TerminalMoment } from './terminal-readings.ts';

/** The score that opens an event where the log has no rule of the class. */
const DEFAULT_THRESHOLD = 70;

/** What stood at the asset's newest good tick. */
export interface RateMoment {
  readonly score_now: number | null;
  /** The score at which an event opens. */
  readonly threshold: number;
  /** The time of the tick; null where the asset has no good one. */
  readonly ts: string | null;
  /** When the asset's newest event opened; null where it had none. */
  readonly opened_at: string | null;
}

/** The numbers that led to an answer without a rate. */
export interface NoRateNumbers extends RateMoment {
  /** The newest study of the class; null where none is frozen. */
  readonly study: StudySource | null;
  /** The study's group of the event, where one opened at that tick and is of a group. */
  readonly group: JudgedGroup | null;
}

export interface NoRatePayload {
  readonly symbol: string;
  readonly base_rate: null;
  readonly reason: NoRateReason;
  readonly detail: string;
  readonly numbers: NoRateNumbers;
}

export interface RatePayload extends GroupPayload, RateMoment {
  readonly symbol: string;
  readonly move_24h: number | null;
  /** Whether the asset itself has an opening in the study. */
  readonly coin_in_study: boolean;
  readonly plain: string;
  /** All caveats, one after another. */
  readonly caveat: string;
  readonly caveats: readonly string[];
  readonly source: StudySource;
  /** On stock rates only. */
  readonly benchmark?: string;
}

/**
 * The asset that a base rate may be asked for: listed and displayed, its symbol in any letter case; undefined for any
 * other symbol.
 */
export function ratedAsset(state: ViewState, symbol: string): AssetRow | undefined {
  const row = assetRow(state, symbol.toUpperCase());
  return row?.listed === true && row.display ? row : undefined;
}

/** What followed openings like the one of an asset now, or why that is not stated. `study` is the newest of its class. */
export function baseRatePayload(
  state: ViewState,
  { history, isCurrent }: Pick<TerminalMoment, 'history' | 'isCurrent'>,
  { symbol, class: of }: AssetRow,
  study: FrozenStudy | undefined,
): RatePayload | NoRatePayload {
  const latest = history(of).latest(symbol);
  const rule = newestScoreRule(state, of)?.rule;
  const threshold = rule?.event.open ?? DEFAULT_THRESHOLD;
  const event = newestEvent(state, symbol)?.open.body;
  const current = latest !== undefined && isCurrent(of, latest.ts);
  const answer = answerRate({ class: of, latest, current, threshold, event }, study?.blob);
  const stood: RateMoment = {
    score_now: latest?.score ?? null,
    threshold,
    ts: latest === undefined ? null : formatTime(latest.ts),
    opened_at: event?.opened_at ?? null,
  };
  if (!answer.rate) {
    const { reason, detail, group } = answer;
    const numbers = { ...stood, ...studiedReasons(study, group) };
    return { symbol, base_rate: null, reason, detail, numbers };
  }
  return {
    symbol,
    ...stood,
    move_24h: hundredths(event?.move_24h ?? null),
    ...studiedRate(study as FrozenStudy, answer.group, symbol),
    ...(of === 'stock' ? { benchmark: rule?.receipts.benchmark ?? '' } : {}),
  };
}

/** What of a base rate follows from its study alone, and which group of it that is. */
export type StudiedRate = Omit<RatePayload, 'symbol' | 'move_24h' | 'benchmark' | keyof RateMoment>;

/** What a study says of an asset whose event is of this group. */
export function studiedRate(study: FrozenStudy, group: EdgeGroup, symbol: string): StudiedRate {
  const caveats = caveatTexts(group);
  return {
    ...groupPayload(study.blob, group),
    coin_in_study: study.blob.moments.some((moment) => moment.symbol === symbol),
    plain: plainText(group),
    caveat: caveats.join(' '),
    caveats,
    source: sourceOf(study),
  };
}

/** What of an answer without a rate follows from its study alone. */
export type StudiedReasons = Pick<NoRateNumbers, 'study' | 'group'>;

/** What a study says of an event that is of this group, or of none. */
export function studiedReasons(
  study: FrozenStudy | undefined,
  like: EventGroup | undefined,
): StudiedReasons {
  if (study === undefined) return { study: null, group: null };
  const group = like === undefined ? undefined : groupIn(study.blob, like);
  return {
    study: sourceOf(study),
    group: group === undefined ? null : judgedGroup(study.blob, group),
  };
}

/** The event of an asset that opened last. */
function newestEvent(state: ViewState, symbol: string): EventRow | undefined {
  const open = openEvent(state, symbol);
  if (open !== undefined) return open;
  for (const past of pastEvents(state, symbol)) return past;
  return undefined;
}
