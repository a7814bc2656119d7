import { createHash } from 'node:crypto';
import { SHIPS } from '../changelog/ships.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { inlineResponses } from './shared-response.ts';

/**
 * How many changes of the interface `/changelog` lists, while `info.version` stays that of the specified interface. The test of this
 * file fails when the document has changed since the newest of them.
 */
export const REVISION: number = SHIPS.length;

/** What only explains: two documents that differ in these alone describe the same interface. */
const WORDS = new Set(['description', 'summary', 'example', 'examples', 'info', 'tags']);

/**
 * SHA-256 of a document without its texts and examples, hex: equal for two documents of the same interface. Whether a response is shared
 * or stands in its place makes no difference.
 */
export function interfaceHash(document: OpenApiDocument): string {
  return createHash('sha256')
    .update(JSON.stringify(shapeOf(inlineResponses(document), false)))
    .digest('hex');
}

/** The keys in order; `isNames` where the keys are names of members, not words of the format. */
function shapeOf(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => shapeOf(each, false));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNames || !WORDS.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, shapeOf(inner, isTable(key, isNames))]),
  );
}

/** Whether what stands under a key is a table by names. */
function isTable(key: string, isName: boolean): boolean {
  const tables: readonly string[] = ['properties', 'schemas', 'headers', 'paths', 'responses'];
  return !isName && tables.includes(key);
}
