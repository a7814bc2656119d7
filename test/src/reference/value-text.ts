import { code } from './markdown.ts';

/** The part of JSON Schema in which the schemas of configurations are written. */
export interface ConfigSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly ConfigSchema[];
  readonly oneOf?: readonly ConfigSchema[];
  readonly items?: ConfigSchema;
  readonly format?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

/** What a field may hold, as a part of a sentence. */
export function valueText(schema: ConfigSchema): string {
  const { type, anyOf, oneOf } = schema;
  if (anyOf !== undefined) return alternatives(anyOf);
  if (oneOf !== undefined) return `an object with \`kind\` ${choice(oneOf.map(kindText))}`;
  if (schema.enum !== undefined) return choice(schema.enum.map((each) => code(String(each))));
  if (typeof type === 'object') return alternatives(type.map((each) => ({ type: each })));
  if (type === 'null') return '`null`';
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'integer') return `a whole number${range(schema)}`;
  if (type === 'number') return `a number${range(schema)}`;
  if (type === 'array') return listText(schema);
  if (type === 'string') return stringText(schema);
  return 'an object';
}

/** `null` stands first, because what follows may be long. */
function alternatives(all: readonly ConfigSchema[]): string {
  const texts = [...new Set(all.map(valueText))];
  const isNull = (text: string): boolean => text === '`null`';
  return [...texts.filter(isNull), ...texts.filter((text) => !isNull(text))].join(', or ');
}

function stringText({ format }: ConfigSchema): string {
  if (format === 'uri') return 'an address';
  return format === 'date' ? 'a date' : 'text';
}

function listText({ items = {}, maxItems }: ConfigSchema): string {
  const most = maxItems === undefined ? '' : `, at most ${maxItems}`;
  const names = Object.keys(items.properties ?? {});
  const inner = names.length === 0 ? '' : ` with ${names.map(code).join(', ')}`;
  return `a list${most}, each ${valueText(items)}${inner}`;
}

function kindText({ properties }: ConfigSchema): string {
  return code(String(properties?.['kind']?.const));
}

function range({ minimum, exclusiveMinimum, maximum }: ConfigSchema): string {
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && most !== undefined) return ` from ${minimum} to ${most}`;
  const from = minimum !== undefined ? [`at least ${minimum}`] : [];
  const above = exclusiveMinimum !== undefined ? [`above ${exclusiveMinimum}`] : [];
  const to = most === undefined ? [] : [`at most ${most}`];
  const parts = [...from, ...above, ...to];
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`;
}

/** Such as `a`, `b` or `c`. */
function choice(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
