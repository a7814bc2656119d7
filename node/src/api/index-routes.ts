import { currentRule, findIndex } from '@assay/core/answer/index';
import { INDICES_PATH, SIGNER_PATH } from '@assay/core/answer/answer';
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
} from './operation/index-operations.ts';
import type { Publication } from './publication.ts';

/** The reads of the index set: all of them folds of the log. */
export function indexRoutes(ledger: LogRecord, publication: Publication): readonly Route[] {
  const fixed =
    (path: string) =>
    (request: ApiRequest): ApiReply =>
      publication.reply(request, path) ?? halted(request);

  /** Answers for one index; its path is spelt as the log spells the ticker. */
  const ofIndex = (suffix: string) => {
    const pathOf = spelling(ledger, suffix);
    return (
      request: ApiRequest<'ticker'>,
      query: { readonly period?: string | undefined } = {},
    ): ApiReply => {
      if (!publication.readable) return halted(request);
      const name = request.params.ticker;
      const whole = pathOf(name);
      if (whole === undefined) {
        return problem(request, 'not_found', {
          detail: `There is no index ${JSON.stringify(name)}.`,
        });
      }
      const path = query.period === undefined ? whole : `${whole}?period=${query.period}`;
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

/** Names that are remembered for each path. */
const MAX_NAMES = 1000;

/**
 * The path of an index that a reader names by ticker or slug, as the log spells it; undefined for none.
 * What was asked for since the last publication is remembered: the rules are not searched each time.
 */
function spelling(ledger: LogRecord, suffix: string): (name: string) => string | undefined {
  const paths = new Map<string, string>();
  let { published } = ledger;
  return (name) => {
    if (ledger.published !== published || paths.size >= MAX_NAMES) {
      paths.clear();
      ({ published } = ledger);
    }
    const known = paths.get(name);
    if (known !== undefined) return known;
    const ticker = findIndex(ledger.shown, name);
    if (ticker === undefined) return undefined;
    const path = `${INDICES_PATH}/${currentRule(ledger.shown, ticker).rule.display}${suffix}`;
    paths.set(name, path);
    return path;
  };
}
