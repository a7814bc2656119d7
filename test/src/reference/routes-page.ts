import { BASIS_MARK } from '@assay/node/api/document/json-schema';
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
} from '@assay/node/api/document/openapi-document';
import { ERRORS_MARK } from '@assay/node/api/document/problem-response';
import { inlineResponses } from '@assay/node/api/document/shared-response';
import { documentPath } from '@assay/node/api/document/openapi';
import { PAGES } from '@assay/node/page/view/pages';
import { code, codes, inline, page, table } from './markdown.ts';

interface Row {
  readonly method: string;
  /** As a client calls it. */
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** Problems that every route can answer with, whatever it is. */
const EVERYWHERE = [
  'bad_request',
  'request_timeout',
  'content_too_large',
  'rate_limited',
  'internal',
];

/** All routes of a document, by their tags. */
export function routesPage(shared: OpenApiDocument): string {
  const document = inlineResponses(shared);
  const rows = Object.entries(document.paths).flatMap(rowsOf);
  return page('Routes of the API', [
    'Every route of a service, in the order of its OpenAPI document. That document (`/openapi.json`, and `/docs` for people) has every member of every answer with an example; [api.md](../api.md) is the way in, with what to read first.',
    `A route under \`/v1\` answers at the same path without \`/v1\` as well. **Folded** answers follow from the log alone, and \`assay verify\` compares them; **live** ones are the word of the service at this moment. Every route can also answer with ${codes(EVERYWHERE)} and \`method_not_allowed\`. [errors.md](errors.md#problems-of-the-api) says what each problem means.`,
    ...document.tags.flatMap(({ name, description }) => {
      const own = rows.filter(({ operation }) => operation.tags.includes(name));
      return [`## ${name}`, inline(description), ...own.flatMap(routeParts)];
    }),
    '## Pages for people',
    `These paths answer with a page where \`Accept\` prefers \`text/html\`: ${codes(PAGES.map(({ path }) => documentPath(path)))}.`,
    '## Elsewhere',
    "`/metrics` is served at an address of its own: [metrics.md](metrics.md). A recounter serves its own log, copies of others' logs, and what it found: [recount.md](../recount.md#what-it-serves).",
  ]);
}

function rowsOf([path, item]: readonly [string, OpenApiPathItem]): readonly Row[] {
  const base = item.servers === undefined ? '/v1' : '';
  return (['get', 'post'] as const).flatMap((method) => {
    const operation = item[method];
    if (operation === undefined) return [];
    return [{ method: method.toUpperCase(), path: `${base}${path}`, operation }];
  });
}

function routeParts({ method, path, operation }: Row): readonly string[] {
  const { summary, description, parameters = [], deprecated } = operation;
  const basis = operation[BASIS_MARK] === 'folded' ? 'Folded' : 'Live';
  const problems = problemsOf(operation);
  const old = deprecated === true ? ' It is deprecated.' : '';
  return [
    `### ${method} ${path}`,
    `**${inline(summary)}.** ${inline(description)}`,
    ...(parameters.length === 0 ? [] : [parameterTable(parameters)]),
    `${basis}.${old}${problems.length === 0 ? '' : ` Problems of its own: ${codes(problems)}.`}`,
  ];
}

function parameterTable(parameters: readonly OpenApiParameter[]): string {
  return table(
    ['parameter', 'in', 'what it is'],
    parameters.map(({ name, in: place, required, description }) => [
      code(name),
      place === 'query' && required === true ? 'query, required' : place,
      inline(description),
    ]),
  );
}

function problemsOf({ responses }: OpenApiOperation): readonly string[] {
  const all = Object.values(responses).flatMap((each) => each[ERRORS_MARK] ?? []);
  return [...new Set(all)].filter((each) => !EVERYWHERE.includes(each));
}
