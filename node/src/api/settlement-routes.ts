import { equalBytes } from '@assay/core/bytes/bytes';
import { messageOf } from '@assay/core/fault';
import { isDate } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import type { HeaderList } from '../http/header.ts';
import { problem } from '../http/problem.ts';
import { IMMUTABLE, JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import { NewestRepresentation, represent } from '../http/representation.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { DamageLog } from '../scrub/damage-log.ts';
import { namedFile, readSettlement } from '../scrub/settlement-stage.ts';
import {
  LATEST,
  mirroredFile,
  mirroredLatest,
  type MirrorReader,
  type MirrorTrust,
  parseLatest,
} from '../day/settlement-mirror.ts';
import { getSettlementFile, getSettlementIndex } from './operation/index-operations.ts';
import { CSV_TYPE, type Publication } from './publication.ts';

/** Where the settlement files are served, as on any other mirror. */
export const SETTLEMENT_PATH = '/settlement';

/** Says that an answer comes from the mirror, because the record cannot be read. */
const SOURCE_HEADER = 'x-assay-source';
export const FROM_MIRROR: HeaderList = [[SOURCE_HEADER, 'mirror']];

const DAMAGED =
  'The file is damaged here: it does not have the sha256 that its Close names. /status says so, and other mirrors have it.';
const NOT_RELAYED =
  'The record cannot be read now, and of its mirror only the files of the newest Close can be checked: /status says why.';
const REVALIDATE = 'public, no-cache';
const RELAYED = { cacheControl: NO_STORE, headers: FROM_MIRROR };

/**
 * The settlement files that Closes name. A file is held to the Close whenever it is read: one with
 * other bytes is served to nobody, and noted in `damage`. While the record cannot be read, they come from a mirror, each
 * checked against the Close there that the report key has signed.
 */
export function settlementRoutes(
  ledger: LogRecord,
  publication: Publication,
  files: MirrorReader,
  trust: MirrorTrust,
  damage: DamageLog,
  onMirrorFailed: (reason: string) => void = () => {},
): readonly Route[] {
  const settlement = async (request: ApiRequest<'*'>): Promise<ApiReply> => {
    const path = request.params['*'];
    const contentType = path.endsWith('.csv') ? CSV_TYPE : JSON_TYPE;
    if (!publication.readable) {
      return fromMirror(
        request,
        () => mirroredFile(files, trust, path),
        (body) => whole(contentType, body, RELAYED),
      );
    }
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

  const isLatest = latestCheck(ledger, trust);
  const newest = new NewestRepresentation();
  let relayed: Uint8Array | undefined;
  const latest = async (request: ApiRequest): Promise<ApiReply> => {
    if (!publication.readable) {
      const read = async (): Promise<Uint8Array | undefined> => {
        // A request must not cost as many as there are files: they are read when the index is another one.
        relayed = await mirroredLatest(files, trust, relayed);
        return relayed;
      };
      return fromMirror(request, read, (body) =>
        represent(request, newest.of({ ...RELAYED, contentType: JSON_TYPE, body })),
      );
    }
    const body = await files(LATEST);
    if (body === undefined) {
      return problem(request, 'not_found', { detail: 'There is no Close yet.' });
    }
    if (isLatest(body))
      return represent(
        request,
        newest.of({ contentType: JSON_TYPE, body, cacheControl: REVALIDATE }),
      );
    // The next look for a Close writes it again.
    return problem(request, 'damaged', { detail: DAMAGED });
  };

  /** Relays what was checked with the report key. What does not hold, or cannot be checked, is not relayed. */
  const fromMirror = async (
    request: ApiRequest | ApiRequest<'*'>,
    read: () => Promise<Uint8Array | undefined>,
    show: (body: Uint8Array) => ApiReply,
  ): Promise<ApiReply> => {
    try {
      const body = await read();
      if (body !== undefined) return show(body);
    } catch (error) {
      onMirrorFailed(messageOf(error));
    }
    return problem(request, 'halted', { detail: NOT_RELAYED });
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

/** Says of an index whether it says what a Close of the log says. */
function latestCheck(ledger: LogRecord, trust: MirrorTrust): (body: Uint8Array) => boolean {
  let sound: Uint8Array | undefined;
  return (body) => {
    if (sound !== undefined && equalBytes(sound, body)) return true;
    try {
      // A key that has been changed since then signed it for the log, too.
      const { day, close: said } = parseLatest(body, { ...trust, reportKey: undefined });
      const isOfLog =
        isDate(day) &&
        closesOf(ledger.shown, day).some(({ signature }) => signature === said.signature);
      if (!isOfLog) return false;
    } catch {
      return false;
    }
    sound = body;
    return true;
  };
}
