import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { formatHex } from '@assay/core/bytes/hex';
import { getArena } from '../api/operation/arena-operations.ts';
import { arenaAnswer } from '../api/schema/arena.ts';
import { acceptedForecast, forecastBody } from '../api/schema/forecast.ts';
import { type ApiCaller, jsonOf } from '../call/api-caller.ts';
import type { Tool, ToolAnswer, ToolArguments, ToolParts } from './tool.ts';
import {
  answered,
  callTarget,
  failed,
  refused,
  unfit,
  validNames,
  validTickers,
} from './tool-call.ts';
import { type ToolInput, toolInput } from './tool-schema.ts';
import { unverified } from './voucher.ts';

const LIST = { pattern: '/arena', input: toolInput(getArena) };
const FORECAST = '/v1/arena/forecast';

const NOT_ONE_BY_ONE =
  'There is no verdict: who forecasts well, and the arena number, follow from every forecast and grade of the log, so that no proof of a few entries shows them. `assay verify` reads the whole log and checks each round, its opening and its points.';
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
    const answer = await parts.api.call({ method: 'GET', target, signal: parts.signal });
    if (answer.status !== 200) return refused(answer, () => validTickers(parts));
    const payload = jsonOf(answer);
    if (!arenaAnswer.safeParse(payload).success) return unfit(target);
    const { open, recent } = payload as Record<'open' | 'recent', ShownRound[]>;
    const proofs = [...open, ...recent].map(({ id }) => roundProof(parts.api, String(id)));
    const verification = unverified(parts.vouching, NOT_ONE_BY_ONE);
    return answered(parts, target, payload as object as Record<string, unknown>, {
      proofs,
      verification,
    });
  },
};

const { shape } = forecastBody as unknown as z.ZodObject;

/** Bytes of a key or of a nonce that is made here. */
const RANDOM_BYTES = 32;

const FORECAST_INPUT: ToolInput = {
  schema: z.strictObject({
    ...shape,
    // Neither has an example: whoever copied one would have a key that everybody knows.
    nonce: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'not 32 bytes in lower-case hex')
      .optional()
      .describe(
        '32 random bytes in hex, the same for every retry of the same forecast. A new handle gets its secret again on a retry only with it. Left out, nothing is sent, and the answer has a fresh one.',
      ),
    idempotency_key: z
      .string()
      .regex(/^[!-~]{16,128}$/, 'not 16 to 128 visible characters')
      .optional()
      .describe(
        'Random and secret, and the same for every retry of the same forecast: a retry with it has the same answer and is not counted again. Left out, nothing is sent, and the answer has a fresh one.',
      ),
  }),
  names: [],
  query: [],
};

export const submitForecastTool: Tool = {
  name: 'submit_forecast',
  title: 'Submit a forecast',
  description:
    'Takes a forecast for an open round of the Arena under a public handle. It writes into a public log that only grows, and cannot be taken back. Call it first without `idempotency_key` and `nonce`: nothing is sent, and the answer has a fresh pair. Call again with that pair to send the forecast, and with the same pair for every retry, also when no answer came or the round has closed since. The first forecast of a handle without a key answers with the secret of the handle: keep it, because its later forecasts need it.',
  reads: false,
  input: FORECAST_INPUT,
  payload: acceptedForecast,
  run: async (given, parts) => {
    const fresh = missingPair(given);
    if (fresh !== undefined) return fresh;
    const { idempotency_key: key, ...body } = given;
    const answer = await parts.api.call({
      method: 'POST',
      target: FORECAST,
      body,
      idempotencyKey: String(key),
      signal: parts.signal,
    });
    if (answer.status !== 201) {
      return refused(answer, (code) =>
        code === 'not_found' || code === 'closed' ? openRounds(parts) : NO_HINT,
      );
    }
    const payload = jsonOf(answer);
    if (!acceptedForecast.safeParse(payload).success) return unfit(FORECAST);
    const { receipt } = payload as { receipt: { subject: string; ordinal: number } };
    const proof = roundProof(parts.api, receipt.subject, receipt.ordinal);
    const verification = unverified(parts.vouching, RECEIPT);
    return answered(parts, FORECAST, payload as object as Record<string, unknown>, {
      proofs: [proof],
      verification,
    });
  },
};

/**
 * The answer to a forecast that could not be repeated, with what makes it so. The caller has the key and the nonce before
 * anything is sent, so that no answer that is lost takes the secret of a new handle with it. Who sends a secret or a
 * signature is given no secret, and needs no nonce for one.
 */
function missingPair(given: ToolArguments): ToolAnswer | undefined {
  const { idempotency_key: key, nonce, secret, signature } = given;
  const needsNonce = nonce === undefined && secret === undefined && signature === undefined;
  if (key !== undefined && !needsNonce) return undefined;
  const fresh = (): string => formatHex(randomBytes(RANDOM_BYTES));
  const pair = {
    ...(key === undefined ? { idempotency_key: fresh() } : {}),
    ...(needsNonce ? { nonce: fresh() } : {}),
  };
  return failed(
    'not_sent',
    `Nothing was sent yet. To send this forecast, call again with the same arguments and these: ${JSON.stringify(pair)}. They were made at random for this forecast: use them again for every retry of it, and for no other.`,
  );
}

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
async function openRounds({ api, signal }: ToolParts): Promise<string | undefined> {
  const payload = jsonOf(await api.call({ method: 'GET', target: '/v1/arena?limit=1', signal }));
  const { open = [] } = (payload ?? {}) as { open?: readonly ShownRound[] };
  const ids = open.map(({ id }) => id);
  return validNames('questions', ids) ?? 'No round is open now.';
}
