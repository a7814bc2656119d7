import type { Sha256 } from '@assay/core/hash/hash';
import { assetPayload, type AssetVenues } from '../terminal/answer/asset.ts';
import { baseRatePayload, ratedAsset } from '../terminal/answer/base-rate.ts';
import { boardPayload } from '../terminal/answer/board.ts';
import { classStatuses, haltedClasses, isHalted } from '../terminal/answer/class-status.ts';
import { scoreEventsPayload } from '../terminal/answer/score-events.ts';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { staleAt } from '../terminal/answer/freshness.ts';
import { type TickGrid, utcGrid } from '@assay/core/terminal/calendar/grid';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import type { TerminalMoment, TerminalReadings } from '../terminal/answer/terminal-readings.ts';
import { formatTime } from '@assay/core/time/time';
import { assetRow } from '@assay/core/view/assets';
import type { Clock } from '../platform/clock.ts';
import { problem } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { ScoreFollower } from '../terminal/tick/score-follower.ts';
import type { StudyReader } from '../terminal/study/study-reader.ts';
import { baseRatesRoute, UNREADABLE_STUDY } from './base-rates-route.ts';
import { halted, UNREADABLE } from './folded-routes.ts';
import { jsonShown, type Publication } from './publication.ts';
import { changelogFeed, FEED_PATH, feedType } from './changelog/changelog-feed.ts';
import { NewestRepresentation, represent } from '../http/representation.ts';
import { SHIPS } from './changelog/ships.ts';
import {
  getAsset,
  getBaseRate,
  getBoard,
  getChangelog,
  getChangelogFeed,
} from './operation/terminal-operations.ts';

/** Where the assets trade, according to the newest checks. */
export interface VenueBook {
  /** Changes with each check. */
  readonly version: number;
  readonly of: (symbol: string) => AssetVenues;
}

export interface TerminalParts {
  readonly record: LogRecord;
  readonly publication: Publication;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly scores: Pick<ScoreFollower, 'follow' | 'history' | 'version'>;
  readonly studies: Pick<StudyReader, 'newest'>;
  readonly readings: TerminalReadings;
  readonly venues: VenueBook;
  /** The service's address, without a slash at its end; null where the operator has named none. */
  readonly publicUrl: string | null;
  /** The grids of the classes. */
  readonly grids: Readonly<Record<AssetClass, TickGrid>>;
}

/** Readings of a service that makes no ticks. */
export const NO_READINGS: TerminalReadings = { version: 0, of: () => undefined };

/** When each class has ticks. */
export const CLASS_GRIDS: TerminalParts['grids'] = { crypto: utcGrid, stock: xnysGrid };

/** The Terminal: its board, its assets and their base rates, and what happened lately. */
export function terminalRoutes(parts: TerminalParts): readonly Route[] {
  const { record, publication, scores, studies, readings, venues } = parts;

  /**
   * An answer that is valid until the record, a reading or a venue changes, or a reading is no longer current.
   */
  const answer = (
    request: ApiRequest,
    path: string,
    make: (moment: TerminalMoment) => unknown,
    now: number = parts.now(),
  ): ApiReply => {
    const size = record.published?.size ?? 0;
    const version = `${size} ${scores.version} ${readings.version} ${venues.version}`;
    const { cache } = publication;
    const known = cache.get(path, version, now);
    if (known !== undefined) return publication.reply(request, known);
    const { moment, until } = momentOf(parts, now);
    const shown = jsonShown(JSON.stringify(make(moment)));
    return publication.reply(request, cache.keep(path, version, shown, until()));
  };

  const board = async (request: ApiRequest): Promise<ApiReply> => {
    if (!publication.readable) {
      return problem(request, 'halted', {
        detail: UNREADABLE,
        members: { halted: true, halted_classes: [], assets: [] },
      });
    }
    await scores.follow();
    const now = parts.now();
    const statuses = classStatuses(record.shown, momentOf(parts, now).moment);
    if (isHalted(statuses)) {
      return problem(request, 'halted', {
        detail: 'No class has a good reading of now: /status says since when.',
        members: { halted: true, halted_classes: haltedClasses(statuses), assets: [] },
      });
    }
    return answer(request, '/board', (moment) => boardPayload(record.shown, moment), now);
  };

  const asset = async (request: ApiRequest<'symbol'>): Promise<ApiReply> => {
    if (!publication.readable) return halted(request);
    await scores.follow();
    const symbol = request.params.symbol.toUpperCase();
    if (assetRow(record.shown, symbol)?.display !== true) return notListed(request);
    return answer(request, `/asset/${symbol}`, (moment) =>
      assetPayload(record.shown, parts.sha256, moment, symbol, venues.of(symbol)),
    );
  };

  const baseRate = async (request: ApiRequest<'symbol'>): Promise<ApiReply> => {
    if (!publication.readable) return haltedRate(request, UNREADABLE, []);
    await scores.follow();
    const row = ratedAsset(record.shown, request.params.symbol);
    if (row === undefined) return notListed(request);
    const study = await studies.newest(row.class);
    const now = parts.now();
    const classes = haltedClasses(classStatuses(record.shown, momentOf(parts, now).moment));
    if (classes.includes(row.class)) {
      const detail = `No asset of the class ${row.class} has a good reading of now: /status says since when.`;
      return haltedRate(request, detail, classes);
    }
    if (study === 'unreadable') {
      return haltedRate(request, UNREADABLE_STUDY, classes);
    }
    return answer(
      request,
      `/base-rate/${row.symbol}`,
      (moment) => baseRatePayload(record.shown, moment, row, study),
      now,
    );
  };

  const changelog = async (_request: ApiRequest): Promise<ApiReply> => {
    await scores.follow();
    const now = parts.now();
    const state = publication.readable ? record.shown : undefined;
    const body = JSON.stringify({
      generated_at: formatTime(now),
      ships: SHIPS,
      ...scoreEventsPayload(state, momentOf(parts, now).moment),
    });
    return whole(JSON_TYPE, body, {
      cacheControl: NO_STORE,
      headers: [['link', `</v1${FEED_PATH}>; rel="alternate"; type="application/atom+xml"`]],
    });
  };

  const feed = feedHandler(parts);

  return [
    route('GET', '/board', board, { operation: getBoard }),
    route('GET', '/asset/:symbol', asset, { operation: getAsset }),
    route('GET', '/base-rate/:symbol', baseRate, { operation: getBaseRate }),
    baseRatesRoute(parts),
    route('GET', '/changelog', changelog, { operation: getChangelog }),
    route('GET', FEED_PATH, feed, { operation: getChangelogFeed }),
  ];
}

/** The changelog as a feed. */
function feedHandler(parts: TerminalParts): (request: ApiRequest) => Promise<ApiReply> {
  const { record, publication, scores, sha256, publicUrl } = parts;
  const newest = new NewestRepresentation();
  return async (request) => {
    await scores.follow();
    const state = publication.readable ? record.shown : undefined;
    const { score_events } = scoreEventsPayload(state, momentOf(parts, parts.now()).moment);
    const shown = newest.of({
      contentType: feedType(request.header('accept')),
      body: changelogFeed({ ships: SHIPS, events: score_events, state, sha256, publicUrl }),
      cacheControl: 'public, no-cache',
      headers: [['vary', 'accept']],
    });
    return represent(request, shown);
  };
}

/** What is known at `now`, and until when every `isCurrent` that was asked remains true. */
function momentOf(
  { scores, readings, grids }: TerminalParts,
  now: number,
): { readonly moment: TerminalMoment; readonly until: () => number } {
  let until = Number.POSITIVE_INFINITY;
  const isCurrent = (of: AssetClass, ts: number): boolean => {
    const stale = staleAt(grids[of], ts);
    if (now < stale) until = Math.min(until, stale);
    return now < stale;
  };
  return { moment: { history: scores.history, readings, isCurrent }, until: () => until };
}

function haltedRate(
  request: ApiRequest<'symbol'>,
  detail: string,
  classes: readonly AssetClass[],
): ApiReply {
  const members = { base_rate: null, halted: true, halted_classes: classes };
  return problem(request, 'halted', { detail, members });
}

function notListed(request: ApiRequest<'symbol'>): ApiReply {
  const name = JSON.stringify(request.params.symbol.slice(0, 40));
  return problem(request, 'not_listed', { detail: `There is no asset ${name} here.` });
}
