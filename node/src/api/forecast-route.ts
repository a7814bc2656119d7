import type { ForecastAnswer, ForecastIntake } from '../arena/forecast-intake.ts';
import { isBodyFault, parseForecastBody } from '../arena/forecast-body.ts';
import { jsonBody } from '../http/json-body.ts';
import { problem } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import { postForecast } from './operation/forecast-operation.ts';

export const FORECAST_PATH = '/arena/forecast';

/** Takes forecasts; `halted` without an intake, if the record cannot be read or the service takes none. */
export function forecastRoute(intake: Pick<ForecastIntake, 'submit'> | undefined): Route {
  const receive = async (request: ApiRequest, json: unknown): Promise<ApiReply> => {
    const body = parseForecastBody(json);
    if (isBodyFault(body)) {
      const detail = `${body.at}: expected ${body.expected}.`;
      return problem(request, 'invalid_forecast', { detail, members: { at: body.at } });
    }
    if (intake === undefined) {
      return problem(request, 'halted', { detail: 'No forecasts are taken here now.' });
    }
    const { client } = request;
    const idempotencyKey = request.header('idempotency-key');
    return replyTo(request, await intake.submit({ body, client, idempotencyKey }));
  };
  return route('POST', FORECAST_PATH, jsonBody(receive), { operation: postForecast });
}

function replyTo(request: ApiRequest, answer: ForecastAnswer): ApiReply {
  if (answer.kind === 'accepted') {
    const { handle_id, receipt, salt, secret } = answer;
    const body = {
      accepted: true,
      handle_id,
      receipt,
      ...(salt === null ? {} : { salt }),
      ...(secret === null ? {} : { secret }),
    };
    return whole(JSON_TYPE, JSON.stringify(body), { status: 201, cacheControl: NO_STORE });
  }
  const { kind, detail, retryAfterS } = answer;
  if (retryAfterS === undefined) return problem(request, kind, { detail });
  return problem(request, kind, {
    detail,
    members: { 'violated-policies': ['forecasts'] },
    headers: [['retry-after', String(retryAfterS)]],
  });
}
