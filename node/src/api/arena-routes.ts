import { ROUNDS_PATH } from '@assay/core/answer/arena-round';
import { findIndex } from '@assay/core/answer/index';
import { faultCode } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseTime } from '@assay/core/time/time';
import { handleRow } from '@assay/core/view/handles';
import {
  type ArenaBook,
  type ArenaMoment,
  arenaPayload,
  arenaRoundsPage,
  handleStanding,
} from '../arena/arena-answer.ts';
import type { HandleStore, StoredHandle } from '../arena/handle-store.ts';
import { problem } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { Clock } from '../platform/clock.ts';
import { foldedRoutes, halted } from './folded-routes.ts';
import { nextQuery, pageStart } from './list/page-request.ts';
import { getArena, getArenaHandle, listArenaRounds } from './operation/arena-operations.ts';
import { jsonShown, type Publication } from './publication.ts';

/** Seconds for which a list of rounds is shown again while the log stays as it is. */
const FRESH_S = 2;

/** How many rounds and handles are listed where nothing else is asked for. */
const DEFAULT_LIMIT = '20';

interface RoundsInput {
  readonly ticker?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

interface ArenaInput {
  readonly ticker?: string | undefined;
  readonly limit?: string | undefined;
}

export interface ArenaRouteParts {
  readonly record: LogRecord;
  readonly publication: Publication;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly book: ArenaBook;
  /** The names of handles; undefined for a service that takes no forecasts. */
  readonly handles: Pick<HandleStore, 'named' | 'get'> | undefined;
}

/** What can be read of the Arena: its rounds, its standings, and its handles. */
export function arenaRoutes(parts: ArenaRouteParts): readonly Route[] {
  const { record, publication, sha256, book, handles } = parts;
  const moment = (): ArenaMoment => ({ state: record.shown, sha256, now: parts.now(), book });

  const arena = (
    request: ApiRequest,
    { ticker: name, limit = DEFAULT_LIMIT }: ArenaInput,
  ): ApiReply => {
    if (!publication.readable) return halted(request);
    const ticker = name === undefined ? undefined : findIndex(record.shown, name);
    if (name !== undefined && ticker === undefined) {
      const detail = `There is no index ${JSON.stringify(name)}.`;
      return problem(request, 'not_found', { detail });
    }
    // With thousands of handles the standings cost more than a request may: they are made once in a while.
    const now = parts.now();
    const key = `/arena?ticker=${ticker ?? ''}&limit=${limit}`;
    const { cache, version } = publication;
    const known = cache.get(key, version, now);
    if (known !== undefined) return publication.reply(request, known);
    const payload = arenaPayload(moment(), { ticker, limit: Number(limit) });
    // What is open by the clock is shown as open no longer than it is.
    const until = Math.min(now + FRESH_S, ...payload.open.map((each) => parseTime(each.closes_at)));
    const body = jsonShown(JSON.stringify(payload));
    return publication.reply(request, cache.keep(key, version, body, until));
  };

  const rounds = (request: ApiRequest, input: RoundsInput): ApiReply => {
    if (!publication.readable) return halted(request);
    const page = pageStart(request, 'rounds', input);
    if (!('after' in page)) return page;
    const { ticker: name, from, to, limit = DEFAULT_LIMIT } = input;
    const ticker = name === undefined ? undefined : findIndex(record.shown, name);
    if (name !== undefined && ticker === undefined) {
      const detail = `There is no index ${JSON.stringify(name)}.`;
      return problem(request, 'not_found', { detail });
    }
    const now = parts.now();
    const asked = { ticker, from, to, limit: Number(limit), after: page.after };
    const key = `${ROUNDS_PATH} ${JSON.stringify(asked)}`;
    const { cache, version } = publication;
    const known = cache.get(key, version, now);
    if (known !== undefined) return publication.reply(request, known);
    const payload = arenaRoundsPage(moment(), asked);
    const closing = payload.rounds.filter(({ state }) => state === 'open');
    const until = Math.min(now + FRESH_S, ...closing.map((each) => parseTime(each.closes_at)));
    const next = nextQuery({ ...input }, payload.next_cursor);
    const body = jsonShown(JSON.stringify(payload), next);
    return publication.reply(request, cache.keep(key, version, body, until));
  };

  const handle = (request: ApiRequest<'handle'>): ApiReply => {
    if (!publication.readable) return halted(request);
    const asked = request.params.handle;
    const stored = named(handles, asked) ?? handles?.get(asked.toLowerCase());
    const row = handleRow(record.shown, stored?.handle ?? asked.toLowerCase());
    if (stored === undefined && row === undefined) {
      const detail = `There is no handle ${JSON.stringify(asked.slice(0, 40))}.`;
      return problem(request, 'not_found', { detail });
    }
    const id = stored?.handle ?? asked.toLowerCase();
    return shown({ ...handlePayload(id, stored), standing: handleStanding(moment(), id) });
  };

  return [
    ...foldedRoutes(record, publication, ['arena']),
    route('GET', '/arena', arena, { operation: getArena }),
    route('GET', ROUNDS_PATH, rounds, { operation: listArenaRounds }),
    route('GET', '/arena/handles/:handle', handle, { operation: getArenaHandle }),
  ];
}

/** The handle with a name; undefined where no handle can have such a name. */
function named(handles: ArenaRouteParts['handles'], name: string): StoredHandle | undefined {
  try {
    return handles?.named(name);
  } catch (error) {
    if (faultCode(error) !== 'malformed') throw error;
    return undefined;
  }
}

function handlePayload(handle: string, stored: StoredHandle | undefined): object {
  const { name = handle, salt = null, key = null } = stored ?? {};
  return { handle: name, handle_id: handle, salt, key };
}

function shown(payload: object): ApiReply {
  return whole(JSON_TYPE, JSON.stringify(payload), { cacheControl: NO_STORE });
}
