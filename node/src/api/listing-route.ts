import { messageOf } from '@assay/core/fault';
import { currentRule, findIndex } from '@assay/core/answer/index';
import {
  type Kit,
  type KitPlaces,
  kitUntil,
  listingOf,
  listingPayload,
  overdueReason,
} from '@assay/core/answer/listing';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { cosignersAt } from '@assay/core/view/cosigner-sets';
import type { ViewState } from '@assay/core/view/view';
import type { Clock } from '../platform/clock.ts';
import { problem } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE } from '../http/reply.ts';
import { represent, representation } from '../http/representation.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import { jsonShown, type Publication } from './publication.ts';
import {
  LATEST,
  mirroredListing,
  type MirrorReader,
  type MirrorTrust,
} from '../day/settlement-mirror.ts';
import { FROM_MIRROR, SETTLEMENT_PATH } from './settlement-routes.ts';
import { getListing } from './operation/index-operations.ts';

export interface ListingParts {
  readonly publication: Publication;
  /** The published rows; undefined while the record cannot be read. */
  readonly record: () => ViewState | undefined;
  readonly mirror: MirrorReader;
  readonly trust: MirrorTrust;
  /** From the release of its print on, a kit is not offered. */
  readonly now: Clock;
  /** The service's own address, without a slash at its end; null where it does not know it. */
  readonly publicUrl: string | null;
  /** A public copy of the settlement files elsewhere. */
  readonly mirrorUrl: string | null;
  readonly onMirrorFailed: (reason: string) => void;
}

/** A market on an index's next print: from the record, and from the mirror where that cannot be read. */
export function listingRoute(parts: ListingParts): Route {
  return route(
    'GET',
    '/indices/:ticker/listing.json',
    (request: ApiRequest<'ticker'>): ApiReply | Promise<ApiReply> => {
      const state = parts.record();
      return state === undefined ? fromMirror(request, parts) : fromRecord(request, parts, state);
    },
    { operation: getListing },
  );
}

function fromRecord(
  request: ApiRequest<'ticker'>,
  parts: ListingParts,
  state: ViewState,
): ApiReply {
  const ticker = findIndex(state, request.params.ticker);
  if (ticker === undefined) return unknown(request);
  const { display } = currentRule(state, ticker).rule;
  const path = `/indices/${display}/listing.json`;
  const now = parts.now();
  const { publication } = parts;
  const { cache, version } = publication;
  const known = cache.get(path, version, now);
  if (known !== undefined) return publication.reply(request, known);
  const listed = listingOf(state, ticker);
  const until = 'kit' in listed ? kitUntil(listed.kit) : 0;
  if ('no_kit' in listed || now >= until) {
    const detail = 'no_kit' in listed ? listed.no_kit : overdueReason(listed.kit);
    return publication.stamped(problem(request, 'no_kit', { detail }));
  }
  const where = placesOf(parts, listed.kit, newestFile(state, display), state);
  const shown = jsonShown(JSON.stringify(listingPayload(listed.kit, where)));
  return publication.reply(request, cache.keep(path, version, shown, until));
}

async function fromMirror(request: ApiRequest<'ticker'>, parts: ListingParts): Promise<ApiReply> {
  try {
    const now = parts.now();
    const listed = await mirroredListing(parts.mirror, parts.trust, request.params.ticker, now);
    const headers = FROM_MIRROR;
    if (listed === undefined) {
      const name = JSON.stringify(request.params.ticker);
      const detail = `The newest Close on the mirror has no index ${name}.`;
      return problem(request, 'not_found', { detail, headers });
    }
    const { kit } = listed;
    if (kit === null) return problem(request, 'no_kit', { detail: listed.no_kit ?? '', headers });
    if (now >= kitUntil(kit)) {
      return problem(request, 'no_kit', { detail: overdueReason(kit), headers });
    }
    const where = placesOf(parts, kit, listed.path);
    const shown = representation({
      contentType: JSON_TYPE,
      body: JSON.stringify(listingPayload(kit, where)),
      cacheControl: NO_STORE,
      headers,
    });
    return represent(request, shown);
  } catch (error) {
    parts.onMirrorFailed(messageOf(error));
    return problem(request, 'halted', {
      detail: 'The record cannot be read, and no fresh mirror of its settlement files either.',
    });
  }
}

function unknown(request: ApiRequest<'ticker'>): ApiReply {
  const detail = `There is no index ${JSON.stringify(request.params.ticker)}.`;
  return problem(request, 'not_found', { detail });
}

/** The settlement file of the newest Close. */
function newestFile(state: ViewState, display: string): string | null {
  const day = newestClose(state);
  const close = day === undefined ? undefined : closesOf(state, day).at(-1);
  const end = `/${display}.json`;
  return close?.content.files.find(({ path }) => path.endsWith(end))?.path ?? null;
}

/** Whether the log names co-signers for the print of a kit. */
function hasCosigners(state: ViewState | undefined, kit: Kit): boolean {
  return state !== undefined && cosignersAt(state, kitUntil(kit)) !== undefined;
}

function placesOf(
  { publicUrl, mirrorUrl }: ListingParts,
  kit: Kit,
  newest: string | null,
  state?: ViewState,
): KitPlaces {
  const base = publicUrl ?? '';
  const index = `${base}/indices/${kit.ticker}`;
  const report = `${index}/report?period=${kit.period}`;
  return {
    report,
    settlement_index: `${base}${SETTLEMENT_PATH}/${LATEST}`,
    mirror: mirrorUrl === null ? null : `${mirrorUrl}/${LATEST}`,
    reference_file: newest === null ? null : `${base}${SETTLEMENT_PATH}/${newest}`,
    proof: report,
    recount: hasCosigners(state, kit) ? `${index}/recount?period=${kit.period}` : null,
    rule: `${index}/rule`,
  };
}
