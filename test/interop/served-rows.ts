// The types of the rows of lists, made from the OpenAPI document: `node test/dist/interop/served-rows-write.js` writes them.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';

const run = promisify(execFile);

export const SERVED_ROWS: string = join(ROOT, 'verifier/src/client/served-rows.ts');

type Json = { readonly [name: string]: Json } | readonly Json[] | string | number | boolean | null;
type Schemas = Readonly<Record<string, Json>>;

/** The operation of each list, and the member of its answer that holds the rows. */
const LISTS = {
  receipts: ['/receipts', 'events'],
  dataset: ['/receipts/dataset', 'rows'],
  questions: ['/questions', 'questions'],
  rounds: ['/arena/rounds', 'rounds'],
  periods: ['/indices/{ticker}/periods', 'periods'],
} as const;

const HEAD = `// Made from the schemas of the API by \`npm run types\`: change those, and make it anew.

/** The rows of each list, as the service describes them. Members may be added to them at any time. */
`;

/** The module of types that a document gives. `folder` is where it is worked out. */
export async function servedRowTypes(
  document: Json,
  command: string,
  folder: string,
): Promise<string> {
  const schemas = at(document, ['components', 'schemas']) as Schemas;
  const named = Object.entries(LISTS).map(([list, [path, member]]) => {
    const answer = at(document, ['paths', path, 'get', 'responses', '200', 'content']);
    const schema = at(answer, ['application/json', 'schema']);
    const rows = at(resolved(schema, schemas), ['properties', member, 'items']);
    return [list, nameIn(rows)] as const;
  });
  const kept: Record<string, Json> = {};
  const keep = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    const ref = '$ref' in value ? nameIn(value) : undefined;
    const target = ref === undefined ? undefined : schemas[ref];
    if (ref !== undefined && target !== undefined && !(ref in kept)) {
      kept[ref] = target;
      keep(target);
    }
    for (const each of Object.values(value)) keep(each as Json);
  };
  for (const [, name] of named) keep({ $ref: `#/components/schemas/${name}` });
  const sorted = Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
  const part = { openapi: '3.1.0', info: { title: 'Rows', version: '1' }, paths: {} };
  const input = join(folder, 'rows.json');
  const output = join(folder, 'rows.ts');
  const whole = { ...part, components: { schemas: withoutTexts(sorted) } };
  await writeFile(input, JSON.stringify(whole));
  const flags = ['--root-types', '--root-types-no-schema-prefix', '--immutable'];
  await run(process.execPath, [command, input, '-o', output, ...flags]);
  const made = await readFile(output, 'utf8');
  // Of what it makes, only the schemas are of use here.
  const start = made.indexOf('export interface components {');
  const end = made.indexOf('export type $defs');
  if (start < 0 || end < 0) throw new Error('openapi-typescript makes another file now');
  const rows = named.map(
    ([list, name]) => `  readonly ${list}: components['schemas']['${name}'];\n`,
  );
  const types = `export interface ServedRows {\n${rows.join('')}}\n`;
  const text = made.slice(start, end).replace(/^export type .*\n/gm, '');
  await writeFile(output, `${HEAD}${types}\n${text.replace('export interface', 'interface')}`);
  await run(process.execPath, [join(ROOT, 'node_modules/oxfmt/bin/oxfmt'), output]);
  return readFile(output, 'utf8');
}

function at(value: Json, path: readonly string[]): Json {
  return path.reduce((inner, name) => (inner as Schemas)[name] ?? null, value);
}

function resolved(value: Json, schemas: Schemas): Json {
  return schemas[nameIn(value)] ?? value;
}

function nameIn(value: Json): string {
  const ref = (value as Schemas)['$ref'];
  return typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : '';
}

/** Descriptions stay, and examples, which are no part of a type, do not. */
function withoutTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name]) => name !== 'examples' && name !== 'example',
  );
  return Object.fromEntries(members.map(([name, each]) => [name, withoutTexts(each as Json)]));
}
