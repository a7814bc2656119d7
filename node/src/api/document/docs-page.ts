import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.ts';
import { BASIS_MARK, type JsonSchema, resolveSchema, type SchemaTable } from './json-schema.ts';
import type {
  OpenApiDocument,
  OpenApiMedia,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './openapi-document.ts';
import { resolveResponse } from './shared-response.ts';

/** An index in the list at the head of the page. */
export interface ListedIndex {
  readonly ticker: string;
  readonly title: string;
  readonly cadence: string;
  readonly unit: string;
}

const STYLE = `
:root{color-scheme:light dark;--fg:#1b1f24;--dim:#5b6470;--bg:#fff;--box:#f5f6f8;--line:#dfe3e8;--key:#0b57a4;--fold:#0a6b3d;--live:#8a5200}
@media(prefers-color-scheme:dark){:root{--fg:#e4e7eb;--dim:#9aa4b0;--bg:#14171b;--box:#1d2127;--line:#30363d;--key:#7db7f5;--fold:#6fd3a0;--live:#e8b265}}
*{box-sizing:border-box}
body{margin:0;color:var(--fg);background:var(--bg);font:16px/1.55 system-ui,sans-serif}
a{color:var(--key)}
.page{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:78rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:1.5rem 1rem;font-size:.875rem;border-right:1px solid var(--line)}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
nav li{margin:.15rem 0;overflow-wrap:anywhere}
nav a{text-decoration:none}
main{padding:1.5rem 2rem 6rem;min-width:0}
h1{margin:0 0 .5rem;font-size:1.8rem}
h2{margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{margin:2.5rem 0 .25rem;font-size:1.1rem}
h3 code{font-size:1rem;font-weight:600}
h4{margin:1.2rem 0 .3rem;font-size:.95rem}
p{margin:.5rem 0;max-width:46rem}
code,pre{font:.85em/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.75rem 1rem;background:var(--box);border:1px solid var(--line);border-radius:6px;overflow:auto;max-height:24rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:500}
td:first-child{white-space:nowrap}
.dim{color:var(--dim);font-size:.85em}
.folded{color:var(--fold)}.live{color:var(--live)}
details{margin:.4rem 0}
summary{cursor:pointer}
details details{margin-left:1rem}
.toc{display:none}
.find{position:sticky;top:0;z-index:1;margin:-1.5rem -2rem 1rem;padding:.75rem 2rem;background:var(--bg);border-bottom:1px solid var(--line)}
.find[hidden]{display:none}
.find label{display:block;font-size:.85rem;color:var(--dim)}
.find input{font:inherit;width:100%;max-width:30rem;padding:.35rem .6rem;color:var(--fg);background:var(--box);border:1px solid var(--dim);border-radius:6px}
.find ul{list-style:none;margin:.4rem 0 0;padding:0;max-height:60vh;overflow:auto;font-size:.9rem}
.find li{margin:.3rem 0;overflow-wrap:anywhere}
h2,h3{scroll-margin-top:5.5rem}
@media(max-width:60rem){.page{display:flex;flex-direction:column}.toc{display:block}nav{order:2;position:static;max-height:none;border:0;border-top:1px solid var(--line)}nav li{margin:.6rem 0}main{padding:1rem;width:100%}.find{margin:-1rem -1rem 1rem;padding:.6rem 1rem}td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:7rem}th,td{padding-right:.5rem}pre{padding:.5rem .6rem}details details{margin-left:.4rem}}
`;

/** The search, which is shown by the script that works it. */
const SEARCH =
  '\n<div class="find" id="find" hidden><label for="find-text">Find a path, a field or a word</label><input id="find-text" type="search" autocomplete="off" spellcheck="false"><ul id="found" aria-live="polite"></ul></div>';

/** The page's own style by its hash, the script that searches it, and nothing else: no font, no picture, no address. */
export const DOCS_CSP: string = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "script-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Words with `code` and **weight** in them; paragraphs where a line is empty. */
function words(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((each) => `<p>${words(each)}</p>`)
    .join('\n');
}

function pretty(value: unknown): string {
  return escapeHtml(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

function rows(head: readonly string[], body: readonly (readonly string[])[]): string {
  if (body.length === 0) return '';
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<div class="scroll"><table>${line(head, 'th')}${body.map((each) => line(each, 'td')).join('\n')}</table></div>`;
}

/** The type of a field, as short as it can be said. */
function typeText(table: SchemaTable, schema: JsonSchema): string {
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((each) => typeText(table, each)).join(' or ');
  }
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const target = resolveSchema(table, schema);
    return target.type === 'object' ? `<a href="#${name}">${name}</a>` : typeText(table, target);
  }
  if (schema.enum !== undefined) {
    return schema.enum.map((each) => `<code>${escapeHtml(String(each))}</code>`).join(' | ');
  }
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.type === 'array') {
    return typeof schema.items === 'object'
      ? `list of ${typeText(table, schema.items)}`
      : 'empty list';
  }
  if (schema.type === 'object') return schema.properties === undefined ? 'map' : 'object';
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any');
  return schema.format === undefined ? type : `${type}, ${schema.format}`;
}

/** A field and, after it, what stands inside of it without a name of its own. */
function fieldRows(
  table: SchemaTable,
  schema: JsonSchema,
  prefix: string,
): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = `${prefix}${name}`;
    const basis = field[BASIS_MARK] ?? '';
    const optional =
      schema.required?.includes(name) === true ? '' : ' <span class="dim">optional</span>';
    const example =
      field.examples === undefined
        ? ''
        : ` <span class="dim">e.g. <code>${escapeHtml(JSON.stringify(field.examples[0]))}</code></span>`;
    return [
      [
        `<code>${escapeHtml(at)}</code>${optional}`,
        typeText(table, field),
        `${words(field.description ?? '')}${example}`,
        `<span class="${basis}">${basis}</span>`,
      ],
      ...inlineParts(field).flatMap(([suffix, part]) => fieldRows(table, part, `${at}${suffix}.`)),
    ];
  });
}

/** The objects inside a field that are described in place. */
function inlineParts(field: JsonSchema): readonly (readonly [suffix: string, part: JsonSchema])[] {
  if (field.$ref !== undefined) return [];
  if (field.properties !== undefined) return [['', field]];
  const parts = (field.anyOf ?? []).flatMap((each) => inlineParts(each));
  const inside = (schema: JsonSchema | boolean | undefined, suffix: string): void => {
    if (typeof schema !== 'object') return;
    for (const [rest, part] of inlineParts(schema)) parts.push([`${suffix}${rest}`, part]);
  };
  inside(field.items, '[]');
  inside(field.additionalProperties, '.*');
  return parts;
}

/** The first example of a parameter, as it stands in an address. */
function exampleText({ examples = [] }: JsonSchema): string {
  const [first] = examples;
  return typeof first === 'string' || typeof first === 'number' ? String(first) : '';
}

function parameterRows(parameters: readonly OpenApiParameter[]): string {
  return rows(
    ['parameter', 'in', 'meaning'],
    parameters.map(({ name, in: place, required, description, schema }) => [
      `<code>${escapeHtml(name)}</code>${required === true ? '' : ' <span class="dim">optional</span>'}`,
      place,
      `${words(description)} <span class="dim">e.g. <code>${escapeHtml(exampleText(schema))}</code></span>`,
    ]),
  );
}

/** The address of an example, with the first example of each parameter that it needs. */
export function exampleTarget(path: string, parameters: readonly OpenApiParameter[]): string {
  let target = path;
  const query: string[] = [];
  for (const { name, in: place, schema } of parameters) {
    const value = exampleText(schema) || name;
    if (place === 'path') target = target.replace(`{${name}}`, value);
    else query.push(`${name}=${encodeURIComponent(value)}`);
  }
  return query.length === 0 ? target : `${target}?${query.join('&')}`;
}

function mediaHtml(table: SchemaTable, type: string, media: OpenApiMedia): string {
  const schema = media.schema.contentSchema ?? media.schema;
  const named = typeof schema.items === 'object' ? schema.items : schema;
  const link = named.$ref === undefined ? '' : `: ${typeText(table, schema)}`;
  const list = media.examples === undefined ? [media.example] : Object.values(media.examples);
  const shown = list
    .filter((each) => each !== undefined)
    .map(
      (each) =>
        `<pre>${pretty(media.examples === undefined ? each : (each as { value: unknown }).value)}</pre>`,
    )
    .join('');
  return `<p><code>${escapeHtml(type)}</code>${link}</p>${shown}`;
}

/** A response; what operations share is shown once, and linked to here. */
function responseHtml(
  document: OpenApiDocument,
  status: string,
  response: OpenApiResponse,
): string {
  if (response.$ref === undefined) {
    return responseDetails(document.components.schemas, status, response);
  }
  const id = responseId(response.$ref.slice(response.$ref.lastIndexOf('/') + 1));
  const { description } = resolveResponse(document, response);
  return `<p><a href="#${id}"><strong>${status}</strong></a> ${words(description)}</p>`;
}

function responseId(name: string): string {
  return `response-${escapeHtml(name)}`;
}

function sharedResponses({ components: { schemas, responses = {} } }: OpenApiDocument): string {
  return Object.entries(responses)
    .map(
      ([name, each]) =>
        `<h3 id="${responseId(name)}">${escapeHtml(name)}</h3>${responseDetails(schemas, '', each)}`,
    )
    .join('\n');
}

function responseDetails(table: SchemaTable, status: string, response: OpenApiResponse): string {
  const body = Object.entries(response.content ?? {})
    .map(([type, media]) => mediaHtml(table, type, media))
    .join('');
  const headers = Object.keys(response.headers ?? {})
    .map((name) => `<code>${escapeHtml(name)}</code>`)
    .join(' ');
  const open = status === '200' || status === '201' ? ' open' : '';
  return `<details${open}><summary><strong>${status}</strong> ${words(response.description)}</summary>${body}<p class="dim">Headers: ${headers}</p></details>`;
}

function operationHtml(
  document: OpenApiDocument,
  method: string,
  path: string,
  {
    operationId,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
    ...rest
  }: OpenApiOperation,
  base: string,
): string {
  const target = `${base}${exampleTarget(path, parameters)}`;
  const basis = rest[BASIS_MARK] ?? '';
  const retired = rest.deprecated === true ? ' <span class="live">deprecated</span>' : '';
  return [
    `<h3 id="${operationId}"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></h3>`,
    `<p><strong>${words(summary)}.</strong> ${words(description)} <span class="${basis}">${basis}</span>${retired}</p>`,
    parameterRows(parameters),
    ...(requestBody === undefined
      ? [`<pre>curl "$BASE${escapeHtml(target)}"</pre>`]
      : [
          `<pre>curl -H 'content-type: application/json' --data @body.json "$BASE${escapeHtml(target)}"</pre>`,
          `<details><summary>The body</summary>${Object.entries(requestBody.content)
            .map(([type, media]) => mediaHtml(document.components.schemas, type, media))
            .join('')}</details>`,
        ]),
    ...Object.entries(responses).map(([status, each]) => responseHtml(document, status, each)),
  ].join('\n');
}

function operationsOf(
  document: OpenApiDocument,
  tag: string,
): readonly (readonly [method: string, path: string, operation: OpenApiOperation, base: string])[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = item[method];
      // A path with servers of its own is one without a version.
      const base = item.servers === undefined ? (document.servers[0]?.url ?? '') : '';
      return operation?.tags.includes(tag) === true
        ? [[method, path, operation, base] as const]
        : [];
    }),
  );
}

/** The documents page: the whole of the OpenAPI document, and the indexes that there are. `base` is the address of the service, and
 * `searchScript` that of the script that searches the page; without it, no search is offered.
 */
export function docsPage(
  document: OpenApiDocument,
  indices: readonly ListedIndex[],
  base: string,
  searchScript?: string,
): string {
  const { schemas, headers } = document.components;
  const tags = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operationsOf(document, name),
  }));
  const objects = Object.entries(schemas).filter(([, schema]) => schema.type === 'object');
  const menu = tags.map(
    ({ name, operations }) =>
      `<strong>${escapeHtml(name)}</strong><ul>${operations
        .map(
          ([, path, { operationId }]) =>
            `<li><a href="#${operationId}"><code>${escapeHtml(path)}</code></a></li>`,
        )
        .join('')}</ul>`,
  );
  // The file stands below the ticker: a column of its own would be cut off on a phone.
  const list = rows(
    ['index', 'what'],
    indices.map(({ ticker, title, cadence, unit }) => [
      `<a href="/v1/indices/${encodeURIComponent(ticker)}"><code>${escapeHtml(ticker)}</code></a><br><a href="/v1/indices/${encodeURIComponent(ticker)}/history.csv">csv</a>`,
      `${escapeHtml(title)} <span class="dim">${escapeHtml(unit)}, ${escapeHtml(cadence)}</span>`,
    ]),
  );
  const headerRows = rows(
    ['header', 'meaning'],
    Object.entries(headers).map(([name, { description = '', example = '' }]) => [
      `<code>${escapeHtml(name)}</code>`,
      `${words(description)} <span class="dim">e.g. <code>${escapeHtml(example)}</code></span>`,
    ]),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} API ${document.info.version}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>${searchScript === undefined ? '' : `\n<script type="module" src="${escapeHtml(searchScript)}"></script>`}
</head>
<body>
<div class="page">
<nav id="contents" aria-label="contents">
<ul><li><a href="/">All numbers</a></li><li><a href="#start">Start</a></li><li><a href="#headers">Headers</a></li><li><a href="#responses">Answers that paths share</a></li><li><a href="#fields">Fields of every answer</a></li></ul>
${menu.join('\n')}
<ul><li><a href="/openapi.json">openapi.json</a></li><li><a href="/llms.txt">llms.txt</a></li></ul>
</nav>
<main>${searchScript === undefined ? '' : SEARCH}
<h1 id="start">${escapeHtml(document.info.title)} API <span class="dim">${document.info.version}</span></h1>
<p class="toc"><a href="#contents">Contents</a></p>
${paragraphs(document.info.description)}
<h4>The indexes here</h4>
${list === '' ? '<p>None yet.</p>' : list}
<h4>A first call</h4>
<pre>BASE=${escapeHtml(base)}   # where this page is
curl "$BASE/v1/indices"
npx assay verify "$BASE"     # checks every number here</pre>
${tags
  .map(
    ({ name, description, operations }) =>
      `<h2 id="tag-${escapeHtml(name)}">${escapeHtml(name)}</h2>${paragraphs(description)}\n${operations
        .map(([method, path, operation, prefix]) =>
          operationHtml(document, method, path, operation, prefix),
        )
        .join('\n')}`,
  )
  .join('\n')}
<h2 id="headers">Headers</h2>
${headerRows}
<h2 id="responses">Answers that paths share</h2>
${sharedResponses(document)}
<h2 id="fields">Fields of every answer</h2>
${objects
  .map(
    ([name, schema]) =>
      `<h3 id="${name}">${escapeHtml(name)}</h3>${paragraphs(schema.description ?? '')}${rows(
        ['field', 'type', 'meaning', 'basis'],
        fieldRows(schemas, schema, ''),
      )}`,
  )
  .join('\n')}
</main>
</div>
</body>
</html>
`;
}
