import type { OpenApiDocument, OpenApiPathItem, OpenApiResponse } from './openapi-document.ts';
import { ERRORS_MARK } from './problem-response.ts';

const PREFIX = '#/components/responses/';

/** Every operation of a path, changed. */
function withResponses(
  item: OpenApiPathItem,
  change: (status: string, response: OpenApiResponse) => OpenApiResponse,
): OpenApiPathItem {
  const copy = { ...item };
  for (const method of ['get', 'post'] as const) {
    const operation = item[method];
    if (operation === undefined) continue;
    const responses = Object.fromEntries(
      Object.entries(operation.responses).map(([status, each]) => [status, change(status, each)]),
    );
    Object.assign(copy, { [method]: { ...operation, responses } });
  }
  return copy;
}

function withEveryResponse(
  document: OpenApiDocument,
  change: (status: string, response: OpenApiResponse) => OpenApiResponse,
): OpenApiDocument['paths'] {
  return Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path, withResponses(item, change)]),
  );
}

/** The document with each problem, and each 304, that more than one operation has among its components, once. */
export function shareResponses(document: OpenApiDocument): OpenApiDocument {
  const uses = new Map<string, number>();
  withEveryResponse(document, (status, response) => {
    const text = `${status} ${JSON.stringify(response)}`;
    uses.set(text, (uses.get(text) ?? 0) + 1);
    return response;
  });
  const names = new Map<string, string>();
  const responses: Record<string, OpenApiResponse> = {};
  const paths = withEveryResponse(document, (status, response) => {
    const text = `${status} ${JSON.stringify(response)}`;
    if (status.startsWith('2') || (uses.get(text) ?? 0) < 2) return response;
    let name = names.get(text);
    if (name === undefined) {
      name = freeName(responses, response);
      names.set(text, name);
      responses[name] = response;
    }
    return { $ref: `${PREFIX}${name}` } as OpenApiResponse;
  });
  return { ...document, paths, components: { ...document.components, responses } };
}

/** The name of a response: its codes, and what sets it apart from another one with the same. */
function freeName(
  taken: Readonly<Record<string, OpenApiResponse>>,
  response: OpenApiResponse,
): string {
  const codes = response[ERRORS_MARK] ?? ['not_modified'];
  const headers = response.headers ?? {};
  const base = [
    codes.map((code) => pascal(code)).join('Or'),
    headers['Assay-Log-Size'] === undefined ? '' : 'Folded',
    headers['RateLimit'] === undefined ? 'Uncounted' : '',
  ].join('');
  const named = [base];
  for (let i = 2; i < 100; i += 1) named.push(`${base}${i}`);
  const name = named.find((each) => taken[each] === undefined);
  if (name === undefined) throw new TypeError(`no name for another ${base}`);
  return name;
}

function pascal(code: string): string {
  return code
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** A response, or the component that it refers to. */
export function resolveResponse(
  document: Pick<OpenApiDocument, 'components'>,
  response: OpenApiResponse,
): OpenApiResponse {
  if (response.$ref === undefined) return response;
  const found = document.components.responses?.[response.$ref.slice(PREFIX.length)];
  if (found === undefined) throw new TypeError(`no response ${response.$ref}`);
  return found;
}

/** The document with each response in its place. */
export function inlineResponses(document: OpenApiDocument): OpenApiDocument {
  const paths = withEveryResponse(document, (_, response) => resolveResponse(document, response));
  const { responses: _, ...components } = document.components;
  return { ...document, paths, components };
}
