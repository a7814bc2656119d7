import type { LightIndexPayload } from '@assay/core/answer/light-index';
import type { ListingPayload } from '@assay/core/answer/listing';
import type { PeriodPayload } from '@assay/core/answer/period';
import type { RecountPayload } from '@assay/core/answer/recount';
import type { ReportPayload } from '@assay/core/answer/report';
import type { RulePayload } from '@assay/core/answer/rule';
import type { Snapshot } from '@assay/core/read/snapshot';
import { isDate } from '@assay/core/time/time';
import { bodyOf, type PageRequest } from '../page.ts';

/** How many of the newest periods the chart shows. */
const CHARTED = 260;

/** A read of a report, with the manifest of what the source answered where that is kept. */
export interface KeptRead {
  readonly snapshot: string;
  readonly manifest: Snapshot;
}

/** All that the page of one number is made of: answers of the API, as they came. */
export interface NumberAnswers {
  readonly index: LightIndexPayload;
  readonly rule: RulePayload;
  /** The newest first, provisional ones too. */
  readonly periods: readonly PeriodPayload[];
  /** Whether there are more periods than these. */
  readonly hasMore: boolean;
  /** The period that is shown; undefined of an index without one. */
  readonly shown: PeriodPayload | undefined;
  /** Its newest report; undefined where there is none. */
  readonly report: ReportPayload | undefined;
  readonly recount: RecountPayload | undefined;
  readonly listing: ListingPayload | undefined;
  /** Why there is no listing kit. */
  readonly noListing: string | undefined;
  readonly kept: readonly KeptRead[];
  /** Whether the index of a day already has the report. */
  readonly isIndexed: boolean;
}

interface PeriodPage {
  readonly periods: readonly PeriodPayload[];
  readonly next_cursor: string | null;
}

/**
 * Asks for all that the page of a number shows. `name` is the index's ticker or slug in any letter case, and `period` one
 * of its periods, or null for the newest complete one. A text says what there is not.
 */
export async function askNumber(
  ask: PageRequest['ask'],
  name: string,
  period: string | null,
): Promise<NumberAnswers | string> {
  const ruled = await ask<RulePayload>(`/v1/indices/${encodeURIComponent(name)}/rule`);
  if (ruled.status === 404) return `There is no index ${JSON.stringify(name)}.`;
  const rule = bodyOf(ruled);
  const indices = bodyOf(await ask<readonly LightIndexPayload[]>('/v1/indices?view=light'));
  const index = indices.find(({ ticker }) => ticker === rule.ticker);
  if (index === undefined) return `There is no index ${JSON.stringify(name)}.`;
  const of = `/v1/indices/${index.ticker}`;
  const page = bodyOf(await ask<PeriodPage>(`${of}/periods?limit=${CHARTED}`));
  const shown = await shownPeriod(ask, index, page.periods, period);
  if (shown === undefined && period !== null) {
    return `There is no period ${JSON.stringify(period)} of ${index.ticker}.`;
  }
  const report = shown?.report_hash == null ? undefined : await askReport(ask, of, shown.period);
  const at = shown === undefined ? '' : `?period=${shown.period}`;
  const [recount, listing] = await Promise.all([
    ask<RecountPayload>(`${of}/recount${at}`),
    ask<ListingPayload>(`${of}/listing.json`),
  ]);
  return {
    index,
    rule,
    periods: page.periods,
    hasMore: page.next_cursor !== null,
    shown,
    report,
    recount: recount.body,
    listing: listing.body,
    noListing: listing.detail,
    kept: await keptReads(ask, report),
    isIndexed: report !== undefined && (await ask(`/v1/index/${report.hash}`)).status === 200,
  };
}

/** The period that was asked for; without one the newest complete one, or else the newest of all. */
async function shownPeriod(
  ask: PageRequest['ask'],
  { ticker, newest_complete: newest }: LightIndexPayload,
  periods: readonly PeriodPayload[],
  asked: string | null,
): Promise<PeriodPayload | undefined> {
  const wanted = asked ?? newest?.period;
  if (wanted === undefined) return periods[0];
  const found = periods.find(({ period }) => period === wanted);
  if (found !== undefined || !isDate(wanted)) return found;
  const target = `/v1/indices/${ticker}/periods?from=${wanted}&to=${wanted}&limit=1`;
  return bodyOf(await ask<PeriodPage>(target)).periods[0];
}

/** The newest report of a period. That of a void period is inside of the problem that stands in its place. */
async function askReport(
  ask: PageRequest['ask'],
  of: string,
  period: string,
): Promise<ReportPayload | undefined> {
  const answer = await ask<ReportPayload>(`${of}/report?period=${period}`);
  return answer.body ?? (answer.problem?.['void'] as ReportPayload | undefined);
}

/** The manifests of the reads whose bytes are kept. What is not here now is passed over: its address still stands. */
async function keptReads(
  ask: PageRequest['ask'],
  report: ReportPayload | undefined,
): Promise<readonly KeptRead[]> {
  const kept: KeptRead[] = [];
  for (const { snapshot, retain } of report?.report.reads ?? []) {
    if (snapshot === null || retain !== 'bytes') continue;
    const { body } = await ask<Snapshot>(`/blob/${snapshot}`);
    if (body !== undefined) kept.push({ snapshot, manifest: body });
  }
  return kept;
}
