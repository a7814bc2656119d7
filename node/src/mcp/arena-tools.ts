import { z } from 'zod';
import { getArena } from '../api/operation/arena-operations.ts';
import { arenaAnswer } from '../api/schema/arena.ts';
import { about } from '../api/schema/field.ts';
import { acceptedForecast, forecastBody } from '../api/schema/forecast.ts';
import { type ApiCaller, jsonOf } from './api-caller.ts';
import type { Tool } from './tool.ts';
import { answered, callTarget, failed, refused, validNames, validTickers } from './tool-call.ts';
import { type ToolInput, toolInput } from './tool-schema.ts';
import { unverified } from './voucher.ts';

const LIST = { pattern: '/arena', input: toolInput(getArena) };
const FORECAST = '/v1/arena/forecast';

const NOT_NUMBERS =
  'The verifier beside this tool proves numbers of indexes, and nothing of the Arena. `assay verify` checks every round of the log.';
const RECEIPT =
  'Nothing was verified here. Keep the receipt: `assay forecast check` proves that the log holds the forecast.';

interface ShownRound {
  readonly id?: unknown;
}

export const arenaTool: Tool = {
  name: 'arena',
  title: 'The Arena',
  description:
    'Rounds that can be forecast now, rounds that have closed, and who forecasts well. The id of an open round is what `submit_forecast` takes as `question`. The arena number is not official.',
  reads: true,
  input: LIST.input,
  payload: arenaAnswer,
  run: async (given, parts) => {
    const target = callTarget(LIST.pattern, LIST.input, given) ?? LIST.pattern;
    const answer = await parts.api.call({ method: 'GET', target });
    if (answer.status !== 200) return refused(answer, () => validTickers(parts.api));
    const payload = jsonOf(answer);
    if (!arenaAnswer.safeParse(payload).success) {
      return failed('malformed: The answer is not what the interface promises.');
    }
    const { open, recent } = payload as Record<'open' | 'recent', ShownRound[]>;
    const proofs = [...open, ...recent].map(({ id }) => roundProof(parts.api, String(id)));
    const verification = unverified(parts.vouching, NOT_NUMBERS);
    return answered(parts, target, payload as object as Record<string, unknown>, {
      proofs,
      verification,
    });
  },
};

const { shape } = forecastBody as unknown as z.ZodObject;

const FORECAST_INPUT: ToolInput = {
  schema: z.strictObject({
    ...shape,
    idempotency_key: about(
      z.string().regex(/^[!-~]{16,128}$/, 'not 16 to 128 visible characters'),
      'Chosen at random for a forecast, and the same for every retry of the same forecast: a retry with it has the same answer and is not counted again.',
      'forecast-5f0c9e7a41d2',
    ),
  }),
  names: [],
  query: [],
};

export const submitForecastTool: Tool = {
  name: 'submit_forecast',
  title: 'Submit a forecast',
  description:
    'Takes a forecast for an open round of the Arena under a public handle. It writes into a public log that only grows, and cannot be taken back. The first forecast of a handle without a key answers with its secret, once. On a failure without an answer, call again with the same arguments and the same `idempotency_key`.',
  reads: false,
  input: FORECAST_INPUT,
  payload: acceptedForecast,
  run: async (given, parts) => {
    const { idempotency_key: key, ...body } = given;
    const answer = await parts.api.call({
      method: 'POST',
      target: FORECAST,
      body,
      idempotencyKey: String(key),
    });
    if (answer.status !== 201) {
      return refused(answer, (code) =>
        code === 'not_found' || code === 'closed' ? openRounds(parts.api) : NO_HINT,
      );
    }
    const payload = jsonOf(answer);
    if (!acceptedForecast.safeParse(payload).success) {
      return failed('malformed: The answer is not what the interface promises.');
    }
    const { receipt } = payload as { receipt: { subject: string; ordinal: number } };
    const proof = roundProof(parts.api, receipt.subject, receipt.ordinal);
    const verification = unverified(parts.vouching, RECEIPT);
    return answered(parts, FORECAST, payload as object as Record<string, unknown>, {
      proofs: [proof],
      verification,
    });
  },
};

const NO_HINT = Promise.resolve(undefined);

function roundProof(
  { base }: ApiCaller,
  id: string,
  place?: number,
): { readonly of: string; readonly url: string } {
  const url = `${base}/v1/arena/rounds/${encodeURIComponent(id)}`;
  return { of: id, url: place === undefined ? url : `${url}?place=${place}` };
}

/** The ids of the rounds that take forecasts. */
async function openRounds(api: ApiCaller): Promise<string | undefined> {
  const payload = jsonOf(await api.call({ method: 'GET', target: '/v1/arena?limit=1' }));
  const { open = [] } = (payload ?? {}) as { open?: readonly ShownRound[] };
  const ids = open.map(({ id }) => id);
  return validNames('questions', ids) ?? 'No round is open now.';
}
