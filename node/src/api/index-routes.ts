import { currentRule, findIndex } from '@assay/core/payload/index';
import { INDICES_PATH, SIGNER_PATH } from '@assay/core/payload/answer';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import {
  getHistory,
  getIndex,
  getReport,
  getRule,
  getSigner,
  listIndices,
} from './index-operations.ts';
import type { Publication } from './publication.ts';

/** Spellings that are remembered. */
const MAX_NAMES = 1000;

/** The reads of the index set: all of them folds of the log. */
export function indexRoutes(ledger: LogRecord, publication: Publication): readonly Route[] {
  const fixed =
    (path: string) =>
    (request: ApiRequest): ApiReply =>
      publication.reply(request, path) ?? halted(request);

  // Spellings that were asked for since the last publication: the rules are not searched each time.
  const displays = new Map<string, string>();
  let published = ledger.published;

  /** How the log spells the index that a reader names by ticker or slug; undefined for none. */
  function displayOf(name: string): string | undefined {
    if (ledger.published !== published || displays.size >= MAX_NAMES) {
      displays.clear();
      ({ published } = ledger);
    }
    const known = displays.get(name);
    if (known !== undefined) return known;
    const ticker = findIndex(ledger.shown, name);
    if (ticker === undefined) return undefined;
    const { display } = currentRule(ledger.shown, ticker).rule;
    displays.set(name, display);
    return display;
  }

  /** Answers for one index; its path is spelt as the log spells the ticker. */
  const ofIndex =
    (suffix: string) =>
    (
      request: ApiRequest<'ticker'>,
      query: { readonly period?: string | undefined } = {},
    ): ApiReply => {
      if (!publication.readable) return halted(request);
      const name = request.params.ticker;
      const display = displayOf(name);
      if (display === undefined) {
        return problem(request, 'not_found', {
          detail: `There is no index ${JSON.stringify(name)}.`,
        });
      }
      const named = query.period === undefined ? '' : `?period=${query.period}`;
      const path = `${INDICES_PATH}/${display}${suffix}${named}`;
      return (
        publication.reply(request, path) ??
        problem(request, 'no_report', {
          detail: `Nothing is signed for ${path
            .slice(INDICES_PATH.length + 1)
            .replace('/report?period=', ' ')
            .replace('/report', '')}.`,
        })
      );
    };

  return [
    route('GET', INDICES_PATH, fixed(INDICES_PATH), { operation: listIndices }),
    route('GET', '/indices/:ticker', ofIndex(''), { operation: getIndex }),
    route('GET', '/indices/:ticker/rule', ofIndex('/rule'), { operation: getRule }),
    route('GET', '/indices/:ticker/report', ofIndex('/report'), { operation: getReport }),
    route('GET', '/indices/:ticker/history.csv', ofIndex('/history.csv'), {
      operation: getHistory,
    }),
    route('GET', SIGNER_PATH, fixed(SIGNER_PATH), { unversioned: true, operation: getSigner }),
  ];
}

function halted(request: ApiRequest): ApiReply {
  return problem(request, 'halted', { detail: 'The record cannot be read now: /status says why.' });
}
