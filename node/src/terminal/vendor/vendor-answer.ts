import type { SourceHeader, SourceRequest } from '@assay/core/source/request';
import {
  parseSourceJson,
  type SourceJson,
  type SourceRecord,
} from '@assay/core/source/source-json';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import type { Source } from '../../source/source.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

/** The answer of a vendor: JSON, or why there is none, without any text of the vendor. */
export type VendorAnswer =
  | { readonly kind: 'json'; readonly value: SourceJson }
  | {
      readonly kind: 'nothing';
      readonly reason: string;
      /** The HTTP status if that is the reason. */
      readonly status?: number;
    };

/** A GET without redirects or pages. Its secrets are `{secret:NAME}` until it is sent. */
export function vendorRequest(url: string, headers: readonly SourceHeader[] = []): SourceRequest {
  return { method: 'GET', url, headers, body: null, follow: [], paging: { kind: 'none' } };
}

/** Asks a vendor. Throws only the signal's reason. */
export async function askVendor(
  source: Source,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<VendorAnswer> {
  const answer = await source.read(request, { signal });
  if (answer.kind === 'failed') return { kind: 'nothing', reason: answer.reason };
  const [page] = answer.pages;
  if (page === undefined) return { kind: 'nothing', reason: 'status unknown' };
  const { status } = page;
  if (status !== 200) return { kind: 'nothing', reason: `status ${status}`, status };
  try {
    return { kind: 'json', value: parseSourceJson(parseUtf8(page.bytes), NO_LIMIT) };
  } catch {
    return { kind: 'nothing', reason: 'the answer is no JSON' };
  }
}

export function isRecord(value: SourceJson | undefined): value is SourceRecord {
  return value instanceof Map;
}

/** The rows of a list by a member of each. Of two rows with the same name neither counts. */
export function rowsBy(list: SourceJson, member: string): ReadonlyMap<string, SourceRecord> {
  const rows = new Map<string, SourceRecord>();
  const twice = new Set<string>();
  for (const row of Array.isArray(list) ? (list as readonly SourceJson[]) : []) {
    const name = isRecord(row) ? row.get(member) : undefined;
    if (!isRecord(row) || typeof name !== 'string') continue;
    if (rows.has(name)) twice.add(name);
    rows.set(name, row);
  }
  for (const name of twice) rows.delete(name);
  return rows;
}
