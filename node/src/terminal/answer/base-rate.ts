import type { Breadth } from '@assay/core/kind/event';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { answerRate, type NoRateReason } from './base-rate-answer.ts';
import { caveatText, plainText } from './base-rate-text.ts';
import type { BreadthName, Bucket } from '@assay/core/kind/event-group';
import type { ReturnStatistics } from '@assay/core/terminal/study/return-statistics';
import type {
  HorizonStatistics,
  StudyBlob,
  StudyGroup,
} from '@assay/core/terminal/study/study-blob';
import type { TerminalMoment } from './terminal-readings.ts';
import { type AssetRow, assetRow, assetRows } from '@assay/core/view/assets';
import { newestScoreRule } from '@assay/core/view/score-rules';
import type { StudyRow } from '@assay/core/view/studies';
import type { ViewState } from '@assay/core/view/view';
import { hundredths } from '@assay/core/answer/terminal/terminal-event';

/** Moves of 5 %, in basis points, which count for breadth. */
const BREADTH_BP = 500;
/** The score that opens an event where the log has no rule of the class. */
const DEFAULT_THRESHOLD = 70;

/** The outcomes of moments at a horizon. Shares are fractions of 1, returns are in percent. */
export interface RateStatistics {
  readonly n: number;
  readonly up_share: number | null;
  readonly median_ret_pct: number | null;
  readonly median_excess_pct: number | null;
}

type RateHorizons = { readonly [H in keyof HorizonStatistics]: RateStatistics };

export interface NoRatePayload {
  readonly symbol: string;
  readonly base_rate: null;
  readonly reason: NoRateReason;
  readonly detail: string;
}

export interface RatePayload {
  readonly symbol: string;
  readonly move_24h: number | null;
  readonly bucket: Bucket;
  readonly breadth: BreadthName;
  /** Whether the asset itself has an event in the study. */
  readonly coin_in_study: boolean;
  readonly n: number;
  readonly n_dates: number;
  readonly top_date_share: number;
  readonly horizons: RateHorizons;
  readonly ordinary: RateHorizons;
  readonly edge_7d_pts: number | null;
  readonly edge_7d_ci: readonly [number, number] | null;
  readonly plain: string;
  readonly caveat: string;
  /** Where the study is: its entry, its blob, and the entries that it rests on. */
  readonly source: {
    readonly seq: number;
    readonly blob: string;
    readonly rule: string;
    readonly from: number;
    readonly to: number;
  };
  /** On stock rates only. */
  readonly benchmark?: string;
}

/** A study with the entry that names it. */
export interface FrozenStudy {
  readonly row: StudyRow;
  readonly blob: StudyBlob;
}

/**
 * The asset that a base rate may be asked for: listed and displayed, its symbol in any letter case; undefined for any
 * other symbol.
 */
export function ratedAsset(state: ViewState, symbol: string): AssetRow | undefined {
  const row = assetRow(state, symbol.toUpperCase());
  return row?.listed === true && row.display ? row : undefined;
}

/** What usually happened after moves like an asset's, or why that is not stated. `study` is the newest of its class. */
export function baseRatePayload(
  state: ViewState,
  moment: TerminalMoment,
  { symbol, class: of }: AssetRow,
  study: FrozenStudy | undefined,
): RatePayload | NoRatePayload {
  const latest = moment.history(of).latest(symbol);
  const move = latest === undefined ? null : moment.readings.of(symbol, latest.ts)?.move;
  const breadth = breadthNow(state, moment, of, latest?.ts ?? 0);
  const rule = newestScoreRule(state, of)?.rule;
  const answer = answerRate(
    {
      class: of,
      current: latest !== undefined && moment.isCurrent(of, latest.ts),
      score: latest?.score ?? null,
      move_24h: move,
      breadth,
    },
    study?.blob,
    rule?.event.open ?? DEFAULT_THRESHOLD,
  );
  if (answer.rate === null) {
    return { symbol, base_rate: null, reason: answer.reason, detail: answer.detail };
  }
  return {
    symbol,
    move_24h: hundredths(move ?? null),
    ...studiedRate(study as FrozenStudy, answer.rate.group, symbol),
    ...(of === 'stock' ? { benchmark: rule?.receipts.benchmark ?? '' } : {}),
  };
}

/** What of a base rate follows from its study alone, and which group of it that is. */
export type StudiedRate = Omit<RatePayload, 'symbol' | 'move_24h' | 'benchmark'>;

/** What a study says of an asset whose move is of this group. */
export function studiedRate(
  { row, blob }: { readonly row: Omit<StudyRow, 'at' | 'version'>; readonly blob: StudyBlob },
  group: StudyGroup,
  symbol: string,
): StudiedRate {
  return {
    ...groupPayload(group),
    coin_in_study: blob.symbols.includes(symbol),
    ordinary: horizonsPayload(blob.ordinary.horizons),
    plain: plainText(blob, group),
    caveat: caveatText(group),
    source: { seq: row.seq, blob: row.blob, rule: row.rule, from: row.from, to: row.to },
  };
}

function groupPayload(
  group: StudyGroup,
): Pick<
  RatePayload,
  | 'bucket'
  | 'breadth'
  | 'n'
  | 'n_dates'
  | 'top_date_share'
  | 'horizons'
  | 'edge_7d_pts'
  | 'edge_7d_ci'
> {
  const { edge_7d, edge_7d_ci: ci } = group;
  return {
    bucket: group.bucket,
    breadth: group.breadth,
    n: group.n,
    n_dates: group.n_dates,
    top_date_share: group.top_date_share / 10_000,
    horizons: horizonsPayload(group.horizons),
    edge_7d_pts: edge_7d === null ? null : edge_7d / 10,
    edge_7d_ci: ci === null ? null : [ci[0] / 10, ci[1] / 10],
  };
}

function horizonsPayload(horizons: HorizonStatistics): RateHorizons {
  return {
    '1d': statisticsPayload(horizons['1d']),
    '7d': statisticsPayload(horizons['7d']),
    '30d': statisticsPayload(horizons['30d']),
  };
}

function statisticsPayload(of: ReturnStatistics): RateStatistics {
  return {
    n: of.n,
    up_share: of.up_share === null ? null : of.up_share / 10_000,
    median_ret_pct: hundredths(of.median_ret),
    median_excess_pct: hundredths(of.median_excess),
  };
}

/** How many of a class's listed assets moved at a tick, as the service has read it. */
function breadthNow(
  state: ViewState,
  { readings }: TerminalMoment,
  of: AssetClass,
  ts: number,
): Breadth {
  const moves = [...assetRows(state)].flatMap((row) => {
    const reading = row.class === of && row.listed ? readings.of(row.symbol, ts) : undefined;
    return reading === undefined || reading.move === null ? [] : [reading.move];
  });
  return {
    up: moves.filter((move) => move >= BREADTH_BP).length,
    down: moves.filter((move) => move <= -BREADTH_BP).length,
    of: moves.length,
  };
}
