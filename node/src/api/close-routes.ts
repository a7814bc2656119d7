import { CLOSE_PATH } from '@assay/core/payload/answer';
import { isDate } from '@assay/core/time';
import { closesOf } from '@assay/core/view/closes';
import { problem } from '../http/problem.ts';
import { IMMUTABLE, JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { LATEST, mirroredFile, type MirrorReader, type MirrorTrust } from '../settlement-mirror.ts';
import { getClose, getSettlementFile, getSettlementIndex } from './index-operations.ts';
import type { Publication } from './publication.ts';

/** Where the settlement files are served, as on any other mirror. */
export const SETTLEMENT_PATH = '/settlement';

const UNREADABLE = 'The record cannot be read now: /status says why.';
const REVALIDATE = 'public, no-cache';
const CSV_TYPE = 'text/csv; charset=utf-8';

/** The Close of a day, and the settlement files that it names. */
export function closeRoutes(
  ledger: LogRecord,
  publication: Publication,
  files: MirrorReader,
  trust: MirrorTrust,
): readonly Route[] {
  const close = (
    request: ApiRequest,
    query: { readonly day?: string | undefined } = {},
  ): ApiReply => {
    if (!publication.readable) {
      return problem(request, 'halted', { detail: UNREADABLE });
    }
    const { day } = query;
    const path = day === undefined ? CLOSE_PATH : `${CLOSE_PATH}?day=${day}`;
    const which = day === undefined ? 'There is no Close yet.' : `There is no Close of ${day}.`;
    return publication.reply(request, path) ?? problem(request, 'not_found', { detail: which });
  };

  const settlement = async (request: ApiRequest<'*'>): Promise<ApiReply> => {
    const path = request.params['*'];
    const contentType = path.endsWith('.csv') ? CSV_TYPE : JSON_TYPE;
    if (!publication.readable) return fromMirror(request, path, contentType);
    const named = isNamed(ledger, path);
    const body = named ? await files(path) : undefined;
    if (body !== undefined) return whole(contentType, body, { cacheControl: IMMUTABLE });
    const detail = named ? 'The file is not here any more.' : 'No Close names such a file.';
    return problem(request, 'not_found', { detail });
  };

  const latest = async (request: ApiRequest): Promise<ApiReply> => {
    const { readable } = publication;
    const body = await files(LATEST).catch((error: unknown) => {
      if (readable) throw error;
      return undefined;
    });
    if (body !== undefined) return whole(JSON_TYPE, body, { cacheControl: REVALIDATE });
    return readable
      ? problem(request, 'not_found', { detail: 'There is no Close yet.' })
      : problem(request, 'halted', { detail: UNREADABLE });
  };

  const fromMirror = async (
    request: ApiRequest<'*'>,
    path: string,
    contentType: string,
  ): Promise<ApiReply> => {
    try {
      const body = await mirroredFile(files, trust, path);
      if (body !== undefined) return whole(contentType, body, { cacheControl: NO_STORE });
    } catch {
      // As where it is not there: whether some Close names it, only the record can say.
    }
    return problem(request, 'halted', { detail: UNREADABLE });
  };

  return [
    route('GET', CLOSE_PATH, close, { operation: getClose }),
    route('GET', `${SETTLEMENT_PATH}/${LATEST}`, latest, {
      unversioned: true,
      budget: 'log',
      operation: getSettlementIndex,
    }),
    route('GET', `${SETTLEMENT_PATH}/*`, settlement, {
      unversioned: true,
      budget: 'log',
      operation: getSettlementFile,
    }),
  ];
}

/** Whether a Close of the published log names a file: until then it may still be written again. */
function isNamed(ledger: LogRecord, path: string): boolean {
  const day = path.slice(0, 10);
  if (!isDate(day)) return false;
  return closesOf(ledger.shown, day).some(({ content }) =>
    content.files.some((file) => file.path === path),
  );
}
