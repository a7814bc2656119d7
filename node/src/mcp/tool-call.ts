import { faultCode } from '@assay/core/fault';
import { formatTime } from '@assay/core/time/time';
import { PROBLEM_TEXTS } from '../http/problem-text.ts';
import { printable } from '@assay/verifier/verdict/printable';
import { type ApiAnswer, jsonOf, targetOf } from '../call/api-caller.ts';
import type { ProofAddress, ToolAnswer, ToolArguments, ToolFailure, ToolParts } from './tool.ts';
import type { ToolInput } from './tool-schema.ts';
import type { Verification } from './voucher.ts';

/** The longest text of a problem that is passed on. */
const MAX_TEXT = 1000;

/** The longest sentence of a server. */
const MAX_DETAIL = 300;

/** What the names of indexes, assets and rounds are made of. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** How many valid values an error names. */
const MAX_NAMES = 40;

/** The target that arguments mean, by the pattern of a route; undefined where a name cannot be in a path. */
export function callTarget(
  pattern: string,
  { names, query }: Pick<ToolInput, 'names' | 'query'>,
  given: ToolArguments,
): string | undefined {
  const pick = (list: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      list.flatMap((name) => {
        const value = given[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    );
  return targetOf(`/v1${pattern}`, pick(names), pick(query));
}

/** An error with its code, in words. What a server wrote is cut, and its control characters are replaced. */
export function failed(code: string, text: string): ToolFailure {
  return { ok: false, code, text: printable(`${code}: ${text}`.slice(0, MAX_TEXT)) };
}

/** An answer that has another shape than the interface promises, which only a foreign server gives. */
export function unfit(target: string): ToolFailure {
  return failed('malformed', `The answer of ${target} is not what the interface promises.`);
}

/** An answer of the API that is no success, in words, with what is valid instead. */
export async function refused(
  answer: ApiAnswer,
  valid: (code: string) => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<ToolFailure> {
  const problem = jsonOf(answer) as { error?: unknown; detail?: unknown } | null | undefined;
  const named = typeof problem?.error === 'string' ? problem.error : '';
  const code = named in PROBLEM_TEXTS ? named : `status ${answer.status}`;
  // In quotes, because it is what a server states and nothing that this tool found out.
  const detail =
    typeof problem?.detail === 'string'
      ? `The server says ${JSON.stringify(problem.detail.slice(0, MAX_DETAIL))}.`
      : 'There is no such answer.';
  const hint = await valid(code).catch(() => undefined);
  const wait = answer.retryAfter === undefined ? '' : ` Try again after ${answer.retryAfter} s.`;
  return failed(code, `${detail}${wait}${hint === undefined ? '' : ` ${hint}`}`);
}

/** A sentence that names what is valid; undefined where nothing is. */
export function validNames(what: string, names: readonly unknown[]): string | undefined {
  const known = names.filter((name): name is string => typeof name === 'string' && NAME.test(name));
  if (known.length === 0) return undefined;
  const more = known.length > MAX_NAMES ? ', and more' : '';
  return `Valid ${what}: ${known.slice(0, MAX_NAMES).join(', ')}${more}.`;
}

/** The tickers of the service. */
export async function validTickers({
  api,
  signal,
}: Pick<ToolParts, 'api' | 'signal'>): Promise<string | undefined> {
  const target = '/v1/indices?view=light';
  const list = jsonOf(await api.call({ method: 'GET', target, signal }));
  const rows = Array.isArray(list) ? (list as { ticker?: unknown }[]) : [];
  return validNames(
    'tickers',
    rows.map((row) => row?.ticker),
  );
}

/** The payload with what stands beside it. Throws TypeError where the payload has such a member itself. */
export function answered(
  { api, now }: ToolParts,
  target: string,
  payload: Readonly<Record<string, unknown>>,
  beside: { readonly proofs: readonly ProofAddress[]; readonly verification: Verification },
): ToolAnswer {
  const members = { asOf: formatTime(now()), servedFrom: `${api.base}${target}`, ...beside };
  for (const name of Object.keys(members)) {
    if (name in payload) throw new TypeError(`the payload has a member ${name} itself`);
  }
  return { ok: true, content: { ...payload, ...members } };
}

/** The parts of one call, which ends when its client cancels it. */
export function partsUntil(parts: ToolParts, cancelled: AbortSignal): ToolParts {
  const { signal } = parts;
  return {
    ...parts,
    signal: signal === undefined ? cancelled : AbortSignal.any([signal, cancelled]),
  };
}

/** The codes of a server that gave no answer. They are told, and no more: a message may hold what a client must not see. */
const SILENT: readonly (string | undefined)[] = [
  'unreachable',
  'timeout',
  'too_large',
  'redirect_refused',
];

/** What a failure that is no answer is told as; the rest of it goes to the operator alone. */
export function thrownFailure(error: unknown): ToolFailure {
  const code = faultCode(error);
  if (code !== undefined && SILENT.includes(code)) {
    return failed(code, 'The service gave no answer.');
  }
  return failed('internal', 'The service failed, and nothing is known of the answer.');
}
