import { equalBytes } from '@assay/core/bytes/bytes';
import { messageOf } from '@assay/core/fault';
import { jsonBody } from '@assay/core/answer/answer';
import { currentRule, findIndex } from '@assay/core/answer/index';
import {
  type Kit,
  type KitPlaces,
  listingOf,
  listingPayload,
  overdueReason,
} from '@assay/core/answer/listing';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { bodyDifference } from '../verdict/difference.ts';
import type { Findings } from '../verdict/finding.ts';
import type { ServedAnswer } from '../reader/log-reader.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** The end of a listing kit's path. */
export const LISTING = '/listing.json';

/** The paths of every index's kit. */
export function listingPaths(state: ViewState): readonly string[] {
  return tickers(state).map(
    (ticker) => `/indices/${currentRule(state, ticker).rule.display}${LISTING}`,
  );
}

/**
 * Compares a kit with the one that the log makes, byte for byte. The places of its files are the server's own
 * statement. An index without a kit must say so, and why.
 */
export function compareListing(
  { path, status, body }: ServedAnswer,
  state: ViewState,
  findings: Findings,
  notChecked: NotCheckedList,
): void {
  const ticker = findIndex(state, path.slice('/indices/'.length, -LISTING.length));
  if (ticker === undefined) throw new TypeError(`compareListing: ${path}`);
  const listed = listingOf(state, ticker);
  const wanted = 'kit' in listed ? 200 : 404;
  if ('kit' in listed && status === 404 && isOverdue(body, listed.kit)) {
    notChecked.add(
      'scope',
      `whether the print of ${listed.kit.ticker} ${listed.kit.period} is overdue, as its server says`,
      'a verifier has no clock; no kit is offered from the release on',
      'none',
    );
    return;
  }
  if (status !== wanted) {
    const code = status === 404 ? 'api_missing' : 'api_differs';
    findings.add(code, path, `status ${wanted}`, `status ${status}`);
    return;
  }
  let given: Members;
  try {
    given = membersOf(body);
  } catch (error) {
    findings.add('api_differs', path, 'a JSON object', messageOf(error));
    return;
  }
  if ('kit' in listed) compareKit(path, body, listed.kit, given, findings, notChecked);
  else if (given['error'] !== 'no_kit' || given['detail'] !== listed.no_kit) {
    const found = `${String(given['error'])}: ${String(given['detail'])}`;
    findings.add('api_differs', path, `no_kit: ${listed.no_kit}`, found);
  }
}

type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object. Throws where a body is not one. */
function membersOf(body: Uint8Array): Members {
  const value = JSON.parse(parseUtf8(body)) as unknown;
  if (typeof value !== 'object' || value === null) throw new TypeError('no object');
  return value as Members;
}

/** Whether a refusal says that the release of a kit's print is past, in the fixed text for it. */
function isOverdue(body: Uint8Array, kit: Kit): boolean {
  try {
    const { error, detail } = membersOf(body);
    return error === 'no_kit' && detail === overdueReason(kit);
  } catch {
    return false;
  }
}

function compareKit(
  path: string,
  body: Uint8Array,
  kit: Kit,
  given: Members,
  findings: Findings,
  notChecked: NotCheckedList,
): void {
  const where = placesIn(given['where']);
  if (where === undefined) {
    findings.add('api_differs', `${path} /where`, 'addresses, or null', 'something else');
    return;
  }
  const expected = jsonBody(listingPayload(kit, where));
  if (equalBytes(body, expected)) {
    notChecked.add(
      'scope',
      'where listing kits say that things are',
      "a server's statement, not the log's",
      'none',
    );
    return;
  }
  const difference = bodyDifference(expected, body);
  findings.add('api_differs', `${path} ${difference.path}`, difference.expected, difference.found);
}

/** The places that a kit gives; undefined where they are invalid. */
function placesIn(value: unknown): KitPlaces | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { report, settlement_index, mirror, reference_file, proof, recount, rule } =
    value as Partial<KitPlaces>;
  const isPlaces =
    [report, settlement_index, rule].every((text) => typeof text === 'string') &&
    [mirror, reference_file, proof, recount].every(
      (text) => text === null || typeof text === 'string',
    );
  if (!isPlaces) return undefined;
  return { report, settlement_index, mirror, reference_file, proof, recount, rule } as KitPlaces;
}
