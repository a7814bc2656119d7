import type { Snapshot } from '@assay/core/read/snapshot';
import { sha256 } from '../fixture/fixture.ts';

/** A row of `vectors/custody/copies.json`. */
export interface CustodyCase {
  readonly name: string;
  /** Null where nothing came of the record. */
  readonly record: Snapshot | null;
  readonly copy: Snapshot;
  /** Whether the read of the copy is `copy_differs`. */
  readonly differs: boolean;
}

const hashOf = (text: string): string =>
  Buffer.from(sha256(new TextEncoder().encode(text))).toString('hex');

/** A snapshot of pages, each given by its content and status, and of the text that was taken from them. */
function snapshot(
  pages: readonly (readonly [content: string, status: number])[],
  text: string | null = null,
  provider = 'press',
): Snapshot {
  const made = {
    type: 'assay-snapshot/1',
    provider,
    request: {
      method: 'GET',
      url: `https://${provider}.example/`,
      headers: [],
      body: null,
      follow: [],
      paging: { kind: 'none' },
    },
    pages: pages.map(([content, status]) => ({
      status,
      sha256: hashOf(content),
      length: content.length,
      content_type: null,
    })),
    extractor:
      text === null ? null : { name: 'pdftotext', version: '24.02', text_sha256: hashOf(text) },
    retain: 'bytes',
  };
  return made as unknown as Snapshot;
}

const good = (...contents: readonly string[]): readonly (readonly [string, number])[] =>
  contents.map((content) => [content, 200]);
const of = (
  name: string,
  record: Snapshot | null,
  copy: Snapshot,
  differs: boolean,
): CustodyCase => ({ name, record, copy: { ...copy, provider: 'archive' }, differs });

export const CUSTODY_CASES: readonly CustodyCase[] = [
  of('the same page', snapshot(good('a')), snapshot(good('a'), null, 'archive'), false),
  of('another page', snapshot(good('a')), snapshot(good('b')), true),
  of('the same pages in their order', snapshot(good('a', 'b')), snapshot(good('a', 'b')), false),
  of('the same pages in another order', snapshot(good('a', 'b')), snapshot(good('b', 'a')), true),
  of('a page less', snapshot(good('a', 'b')), snapshot(good('a')), true),
  of('a page more', snapshot(good('a')), snapshot(good('a', 'b')), true),
  of('other pages, the same text', snapshot(good('1'), 'text'), snapshot(good('2'), 'text'), false),
  of(
    'the same pages, another text',
    snapshot(good('1'), 'text'),
    snapshot(good('1'), 'other'),
    true,
  ),
  of(
    'a text on one side: the pages decide',
    snapshot(good('1'), 'text'),
    snapshot(good('1')),
    false,
  ),
  of('a text on the other side', snapshot(good('1')), snapshot(good('2'), 'text'), true),
  of('nothing came of the record', null, snapshot(good('a')), false),
  of('the record was refused', snapshot([['no', 403]]), snapshot(good('a')), false),
  of('the copy was not there', snapshot(good('a')), snapshot([['no', 404]]), false),
  of(
    'one page of the record was refused',
    snapshot([
      ['a', 200],
      ['no', 500],
    ]),
    snapshot(good('b')),
    false,
  ),
];
