import { Fault } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { parseStatementEntry, type StatementEntry } from '@assay/core/kind/statement-entry';
import { formatWire, parseWire, type WireValue } from '@assay/core/wire/wire';
import { jsonBody } from '../http/json-body.ts';
import { problem } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { Received } from '../cosign/received.ts';
import type { Reception } from '../cosign/reception.ts';
import { listStatements, postStatement } from './operation/statement-operations.ts';

export const STATEMENTS_PATH = '/statements';

/** Seconds after which a statement that is committed but not published should be sent again. */
const RETRY_S = 5;

/**
 * Receives the statements of co-signers, and serves them; `halted` without a reception, if the record cannot be
 * read.
 */
export function statementRoutes(
  reception: Pick<Reception, 'receive' | 'words'> | undefined,
): readonly Route[] {
  const receive = async (request: ApiRequest, body: unknown): Promise<ApiReply> => {
    const word = readStatement(body);
    if (word instanceof Fault) {
      return problem(request, 'malformed', {
        detail: 'It is not the body of a statement/1 entry.',
        members: placeOf(word),
      });
    }
    if (reception === undefined) return halted(request);
    return answer(request, await reception.receive(word));
  };

  const list = async (
    request: ApiRequest,
    query: { readonly report: string },
  ): Promise<ApiReply> => {
    if (reception === undefined) return halted(request);
    const words = await reception.words(toHashHex(query.report));
    if (words === undefined) return unknownReport(request);
    return json(200, words);
  };

  return [
    route('GET', STATEMENTS_PATH, list, { operation: listStatements }),
    route('POST', STATEMENTS_PATH, jsonBody(receive), { operation: postStatement }),
  ];
}

/** The statement in a body of JSON, whatever its spaces and the order of its members. */
function readStatement(body: unknown): StatementEntry | Fault {
  try {
    return parseStatementEntry(parseWire(formatWire(body as WireValue)), '');
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function answer(request: ApiRequest, received: Received): ApiReply {
  switch (received.kind) {
    case 'recorded':
    case 'known': {
      const { kind: state, seq, leaf, quorum, proof } = received;
      const status = state === 'recorded' ? 201 : 200;
      return json(status, { state, entry: { seq, leaf }, quorum, proof });
    }
    case 'unpublished': {
      const { kind: state, seq, quorum } = received;
      const body = { state, entry: { seq, leaf: null }, quorum, proof: null };
      return json(202, body, [['retry-after', String(RETRY_S)]]);
    }
    case 'noted': {
      const { kind: state, quorum } = received;
      return json(202, { state, entry: null, quorum, proof: null });
    }
    case 'unknown_cosigner':
      return problem(request, 'unknown_cosigner', {
        detail: 'The key of the statement is in no set of co-signers of this log.',
      });
    case 'not_found':
      return unknownReport(request);
    case 'bad_signature':
    case 'refused':
      return problem(request, received.kind, { members: placeOf(received) });
    case 'busy':
      return problem(request, 'rate_limited', {
        detail: `Another word may be taken in ${received.retryAfterS} s.`,
        members: { 'violated-policies': ['statements'] },
        headers: [['retry-after', String(received.retryAfterS)]],
      });
    case 'halted':
      return halted(request);
  }
}

function json(
  status: number,
  body: object,
  headers: readonly (readonly [string, string])[] = [],
): ApiReply {
  return whole(JSON_TYPE, JSON.stringify(body), { status, cacheControl: NO_STORE, headers });
}

/** Where a statement is wrong. It is the sender's own, compared with what anyone can read. */
function placeOf({
  at = '',
  expected = '',
  found = '',
}: {
  readonly at?: string | undefined;
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
}): { readonly at: string; readonly expected: string; readonly found: string } {
  return { at, expected, found };
}

function unknownReport(request: ApiRequest): ApiReply {
  return problem(request, 'not_found', { detail: 'The log shows no report with that hash.' });
}

function halted(request: ApiRequest): ApiReply {
  return problem(request, 'halted', {
    detail: 'Nothing is written now, or the record cannot be read: /status says why.',
  });
}
