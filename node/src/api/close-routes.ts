import { equalBytes } from '@assay/core/bytes';
import type { CloseFile } from '@assay/core/close';
import { contentHash, hashHex } from '@assay/core/hash';
import { CLOSE_PATH } from '@assay/core/payload/answer';
import { isDate } from '@assay/core/time';
import { closesOf } from '@assay/core/view/closes';
import { problem } from '../http/problem.ts';
import { IMMUTABLE, JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import {
  LATEST,
  mirroredFile,
  type MirrorReader,
  type MirrorTrust,
  parseLatest,
} from '../settlement-mirror.ts';
import type { DamagedFiles } from './damaged-files.ts';
import { getClose, getSettlementFile, getSettlementIndex } from './index-operations.ts';
import type { Publication } from './publication.ts';

/** Where the settlement files are served, as on any other mirror. */
export const SETTLEMENT_PATH = '/settlement';

const DAMAGED =
  'The file is damaged here: it does not have the sha256 that its Close names. /status says so, and other mirrors have it.';
const UNREADABLE = 'The record cannot be read now: /status says why.';
const REVALIDATE = 'public, no-cache';
const CSV_TYPE = 'text/csv; charset=utf-8';

/**
 * The Close of a day, and the settlement files that it names. A file is held to the Close whenever it is read: one with
 * other bytes is served to nobody, and told to `damaged`.
 */
export function closeRoutes(
  ledger: LogRecord,
  publication: Publication,
  files: MirrorReader,
  trust: MirrorTrust,
  damaged: DamagedFiles,
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
    const named = namedFile(ledger, path);
    if (named === undefined) {
      return problem(request, 'not_found', { detail: 'No Close names such a file.' });
    }
    const body = await files(path);
    if (body === undefined) {
      damaged.add(path, 'missing');
      return problem(request, 'not_found', { detail: 'The file is not here any more.' });
    }
    if (hashHex(contentHash(trust.sha256, body)) !== named.sha256) {
      damaged.add(path, 'damaged');
      return problem(request, 'damaged', { detail: DAMAGED });
    }
    damaged.delete(path);
    return whole(contentType, body, { cacheControl: IMMUTABLE });
  };

  let sound: Uint8Array | undefined;
  /** Whether an index says what its signed Close says, which is one of the log where that can be read. */
  const isLatest = (body: Uint8Array): boolean => {
    if (sound !== undefined && equalBytes(sound, body)) return true;
    try {
      const { readable } = publication;
      const { day, close: said } = parseLatest(body, {
        ...trust,
        // A key that has been changed since then signed it for the log, too.
        reportKey: readable ? undefined : trust.reportKey,
      });
      const isOfLog = (): boolean =>
        isDate(day) &&
        closesOf(ledger.shown, day).some(({ signature }) => signature === said.signature);
      if (readable && !isOfLog()) return false;
    } catch {
      return false;
    }
    sound = body;
    return true;
  };

  const latest = async (request: ApiRequest): Promise<ApiReply> => {
    const { readable } = publication;
    const body = await files(LATEST).catch((error: unknown) => {
      if (readable) throw error;
      return undefined;
    });
    if (body !== undefined) {
      if (isLatest(body)) return whole(JSON_TYPE, body, { cacheControl: REVALIDATE });
      // The next look for a Close writes it again.
      return problem(request, 'damaged', { detail: DAMAGED });
    }
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

/** The file that a Close of the published log names; until then it may still be written again. */
function namedFile(ledger: LogRecord, path: string): CloseFile | undefined {
  const day = path.slice(0, 10);
  if (!isDate(day)) return undefined;
  return closesOf(ledger.shown, day)
    .flatMap(({ content }) => content.files)
    .find((file) => file.path === path);
}
