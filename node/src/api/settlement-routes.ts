import { equalBytes } from '@assay/core/bytes/bytes';
import { isDate } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { problem } from '../http/problem.ts';
import { IMMUTABLE, JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { DamageLog } from '../scrub/damage-log.ts';
import { namedFile, readSettlement } from '../scrub/settlement-stage.ts';
import {
  LATEST,
  mirroredFile,
  type MirrorReader,
  type MirrorTrust,
  parseLatest,
} from '../day/settlement-mirror.ts';
import { getSettlementFile, getSettlementIndex } from './operation/index-operations.ts';
import { halted } from './folded-routes.ts';
import { CSV_TYPE, type Publication } from './publication.ts';

/** Where the settlement files are served, as on any other mirror. */
export const SETTLEMENT_PATH = '/settlement';

const DAMAGED =
  'The file is damaged here: it does not have the sha256 that its Close names. /status says so, and other mirrors have it.';
const REVALIDATE = 'public, no-cache';

/**
 * The settlement files that Closes name. A file is held to the Close whenever it is read: one with
 * other bytes is served to nobody, and noted in `damage`.
 */
export function settlementRoutes(
  ledger: LogRecord,
  publication: Publication,
  files: MirrorReader,
  trust: MirrorTrust,
  damage: DamageLog,
): readonly Route[] {
  const settlement = async (request: ApiRequest<'*'>): Promise<ApiReply> => {
    const path = request.params['*'];
    const contentType = path.endsWith('.csv') ? CSV_TYPE : JSON_TYPE;
    if (!publication.readable) return fromMirror(request, path, contentType);
    const named = namedFile(ledger.shown, path);
    if (named === undefined) {
      return problem(request, 'not_found', { detail: 'No Close names such a file.' });
    }
    const read = await readSettlement({ files, sha256: trust.sha256, damage }, named);
    if (read.state === 'missing') {
      return problem(request, 'not_found', { detail: 'The file is not here any more.' });
    }
    if (read.body === undefined) return problem(request, 'damaged', { detail: DAMAGED });
    return whole(contentType, read.body, { cacheControl: IMMUTABLE });
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
      : halted(request);
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
    return halted(request);
  };

  return [
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
