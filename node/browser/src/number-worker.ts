/** Checks one number of a served log: it gathers what proves it, and holds the server to the history that it showed before. */
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { bodyOf } from '@assay/verifier/client/log-answer';
import { numberClient } from '@assay/verifier/client/number-client';
import { timedFetch } from '@assay/verifier/client/timed-fetch';
import { httpReader } from '@assay/verifier/reader/http-reader';
import { type Answer, answerOf, notVerified } from './answer.ts';
import type { CheckTerms } from './check-terms.ts';
import { serveChecks } from './serve-checks.ts';

/** What this worker checks. */
export interface NumberRequest extends CheckTerms {
  /** The address of the log's server. */
  readonly url: string;
  readonly index: string;
  /** The head that an earlier visit left; null where there was none. */
  readonly head: string | null;
}

async function check(message: unknown): Promise<Answer> {
  const { url, key, index, period, head, limitMs } = message as NumberRequest;
  let kept = head;
  const { numbers } = numberClient(url, {
    key: key ?? (await servedKey(url, limitMs)),
    isVouched: key !== null,
    numberMs: limitMs,
    storage: {
      getItem: () => kept,
      setItem: (_, text) => {
        kept = text;
      },
    },
  });
  const read = await numbers.readKind({ index, period: period ?? undefined });
  if ('answer' in read) return { ...answerOf(read.answer.verdict), head: kept };
  const { code, why, verdict } = read;
  if (verdict !== null) return answerOf(verdict);
  const start = code === 'not_found' ? 'This log has no such number: ' : '';
  return notVerified(code, `${start}${why.replace(/\.$/, '')}.`);
}

/** The key that the server itself names, which nobody has vouched for. Throws as the reader does, and `TypeError` for no key. */
async function servedKey(url: string, limitMs: number): Promise<string> {
  const server = httpReader(url, timedFetch(limitMs));
  const body = parseUtf8(await bodyOf(server, '/.well-known/assay-signer.json'));
  const { checkpoint_vkey: key } = JSON.parse(body) as { readonly checkpoint_vkey?: unknown };
  if (typeof key !== 'string') throw new TypeError('the server names no key');
  return key;
}

serveChecks(check);
