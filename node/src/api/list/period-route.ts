import { DEFAULT_PERIODS, periodPagePayload } from '@assay/core/answer/period-page';
import { currentRule, findIndex } from '@assay/core/answer/index';
import { problem } from '../../http/problem.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import type { LogRecord } from '../../ledger/record.ts';
import { halted } from '../folded-routes.ts';
import { listPeriods } from '../operation/settlement-operations.ts';
import { jsonShown, type Publication } from '../publication.ts';
import { nextQuery, pageStart } from './page-request.ts';

interface PeriodsInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

/** The periods of an index by pages. */
export function periodRoute(record: LogRecord, publication: Publication): Route {
  const periods = (request: ApiRequest<'ticker'>, input: PeriodsInput): ApiReply => {
    if (!publication.readable) return halted(request);
    const state = record.shown;
    const ticker = findIndex(state, request.params.ticker);
    if (ticker === undefined) {
      const detail = `There is no index ${JSON.stringify(request.params.ticker)}.`;
      return problem(request, 'not_found', { detail });
    }
    const page = pageStart(request, 'periods', input);
    if (!('after' in page)) return page;
    const { from, to } = input;
    const limit = Number(input.limit ?? DEFAULT_PERIODS);
    const asked = { from, to, limit, after: page.after };
    const name = `/indices/${currentRule(state, ticker).rule.display}/periods ${JSON.stringify(asked)}`;
    const known = publication.cache.get(name, publication.version);
    if (known !== undefined) return publication.reply(request, known);
    const payload = periodPagePayload(state, ticker, asked);
    const next = nextQuery({ ...input }, payload.next_cursor);
    const shown = jsonShown(JSON.stringify(payload), next);
    return publication.reply(request, publication.cache.keep(name, publication.version, shown));
  };
  return route('GET', '/indices/:ticker/periods', periods, { operation: listPeriods });
}
