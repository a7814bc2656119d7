import { configJsonSchema, parseConfig } from '@assay/node/production/config';
import { parseRecounterConfig, recounterJsonSchema } from '@assay/node/recounter/recounter-config';
import { code, page, table } from './markdown.ts';
import { type ConfigSchema, valueText } from './value-text.ts';

/** A field of a configuration: what it takes, and what holds where it is not given. */
export interface ConfigRow {
  readonly name: string;
  readonly value: string;
  /** JSON; undefined where there is none. */
  readonly fallback: string | undefined;
  readonly isRequired: boolean;
}

const URL = 'https://publisher.example';

/** The fields of a node's configuration. */
export function nodeRows(): readonly ConfigRow[] {
  const config = parseConfig({ data: '.', contact: 'x' }, {}, '/');
  return rowsOf(configJsonSchema(), { ...config });
}

/** The fields of a recounter's configuration. */
export function recounterRows(): readonly ConfigRow[] {
  const publisher = { url: URL, checkpoint_vkey: 'x' };
  const config = parseRecounterConfig({ data: '.', contact: 'x', name: 'x', publisher }, {}, '/');
  return rowsOf(recounterJsonSchema(), { ...config });
}

export function configPage(): string {
  return page('Configuration', [
    'What each field of the two configuration files takes, and what holds where it is not given. A field that is not listed is an error. Fields with a dot stand in the object before the dot.',
    '## A node',
    'What each field is for is in [config.md](../config.md), and [publish.md](../publish.md) has a whole file.',
    rowTable(nodeRows()),
    '## A recounter',
    'What each field is for is in [recount.md](../recount.md).',
    rowTable(recounterRows()),
  ]);
}

function rowTable(rows: readonly ConfigRow[]): string {
  return table(
    ['field', 'value', 'default'],
    rows.map(({ name, value, fallback, isRequired }) => [
      code(name),
      value,
      isRequired ? 'required' : fallback === undefined ? 'none' : code(fallback),
    ]),
  );
}

/** `defaults` has those that the schema of what is read cannot show, for they are changed as they are read. */
function rowsOf(
  schema: ConfigSchema,
  defaults: Readonly<Record<string, unknown>>,
): readonly ConfigRow[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, field]) => {
      const isRequired = required.includes(name);
      const fallback = isRequired ? undefined : 'default' in field ? field.default : defaults[name];
      const row = { name, value: valueText(field), fallback: JSON.stringify(fallback), isRequired };
      return [row, ...innerRows(name, field)];
    });
}

/** The fields of an object that stands in a field, or in place of null. */
function innerRows(name: string, field: ConfigSchema): readonly ConfigRow[] {
  const inner = [field, ...(field.anyOf ?? [])].find(({ properties }) => properties !== undefined);
  if (inner === undefined) return [];
  return rowsOf(inner, {}).map((row) => ({ ...row, name: `${name}.${row.name}` }));
}
