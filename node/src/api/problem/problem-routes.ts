import { problem, PROBLEM_KINDS, PROBLEMS_PATH, type ProblemCode } from '../../http/problem.ts';
import { JSON_TYPE } from '../../http/reply.ts';
import { represent, type Representation, representation } from '../../http/representation.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import { getProblem, listProblems } from '../operation/problem-operations.ts';
import { PROBLEM_CSP, problemEntries, problemEntry, problemPage } from './problem-page.ts';

interface Input {
  readonly format?: 'json' | undefined;
}

/** What the codes of problems mean, at the paths that are their types: a page, or JSON with `format=json`. */
export function problemRoutes(): readonly Route[] {
  const made = new Map<string, Representation>();
  const shown = (name: string, heading: string, json: unknown, input: Input): Representation => {
    const isJson = input.format === 'json';
    const key = `${name} ${isJson}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const page = representation({
      contentType: isJson ? JSON_TYPE : 'text/html; charset=utf-8',
      body: isJson
        ? JSON.stringify(json)
        : problemPage(heading, Array.isArray(json) ? json : [json as never]),
      cacheControl: 'public, no-cache',
      headers: isJson ? [] : [['content-security-policy', PROBLEM_CSP]],
    });
    made.set(key, page);
    return page;
  };

  const list = (request: ApiRequest, input: Input): ApiReply =>
    represent(request, shown('', 'Problems of the API', problemEntries(), input));

  const one = (request: ApiRequest<'code'>, input: Input): ApiReply => {
    const { code } = request.params;
    if (!Object.hasOwn(PROBLEM_KINDS, code)) {
      return problem(request, 'not_found', {
        detail: `There is no code ${JSON.stringify(code.slice(0, 40))}: ${PROBLEMS_PATH} lists all.`,
      });
    }
    const entry = problemEntry(code as ProblemCode);
    return represent(request, shown(code, `Problem ${code}`, entry, input));
  };

  return [
    route('GET', PROBLEMS_PATH, list, { unversioned: true, operation: listProblems }),
    route('GET', `${PROBLEMS_PATH}/:code`, one, { unversioned: true, operation: getProblem }),
  ];
}
