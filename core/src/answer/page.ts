import { Fault } from '../fault.ts';
import { formatBase64, parseBase64 } from '../bytes/base64.ts';
import { formatUtf8, parseUtf8 } from '../bytes/utf8.ts';
import { isDate, parseTime } from '../time/time.ts';

/** The lists that are read in pages. A cursor of one is none of another. */
export type PagedList = 'receipts' | 'dataset' | 'questions' | 'rounds' | 'periods';

const COUNT = /^(0|[1-9][0-9]{0,14})$/;
const NAMES = /^[A-Za-z0-9 -]{1,64}$/;
const TIME_LENGTH = 'YYYY-MM-DDTHH:MM:SSZ'.length;

const isCount = (place: string): boolean => COUNT.test(place);

function isTime(text: string): boolean {
  try {
    parseTime(text);
    return true;
  } catch {
    return false;
  }
}

/** A time, a space, and names. */
function isTimed(place: string): boolean {
  const isSpaced = place[TIME_LENGTH] === ' ' && NAMES.test(place.slice(TIME_LENGTH + 1));
  return isSpaced && isTime(place.slice(0, TIME_LENGTH));
}

/** What a place of each list is. */
const PLACES: Readonly<Record<PagedList, (place: string) => boolean>> = {
  receipts: isCount,
  dataset: isCount,
  questions: isTimed,
  rounds: isTimed,
  periods: isDate,
};

/** What a cursor is made of. An empty one stands for the beginning. */
export const CURSOR_TEXT: RegExp = /^[A-Za-z0-9_-]{0,256}$/;

/**
 * Where a page of a list ends, for clients to send back as it is: base64url (RFC 4648, section 5) of the list and the place of the last
 * row. The place is a key by which the log orders the rows, and not a count of them, so that entries that are added
 * later neither repeat a row nor hide one.
 */
export function formatCursor(list: PagedList, place: string): string {
  return formatBase64(formatUtf8(`${list} ${place}`))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/**
 * The place in a cursor of the list; undefined for an empty one. Throws `malformed` for what `formatCursor` did not make
 * for this list.
 */
export function parseCursor(list: PagedList, cursor: string): string | undefined {
  if (cursor === '') return undefined;
  const place = placeIn(cursor, `${list} `);
  const isPlace = place !== undefined && PLACES[list](place);
  if (isPlace && formatCursor(list, place) === cursor) return place;
  throw new Fault('malformed', 'cursor', { expected: `a cursor of ${list}` });
}

function placeIn(cursor: string, head: string): string | undefined {
  try {
    const padded = cursor.padEnd(Math.ceil(cursor.length / 4) * 4, '=');
    const text = parseUtf8(parseBase64(padded.replaceAll('-', '+').replaceAll('_', '/')));
    return text.startsWith(head) ? text.slice(head.length) : undefined;
  } catch {
    return undefined;
  }
}

/** A page of rows, each with its place in the list. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** The cursor of the page that follows; null where there is none now. */
  readonly next: string | null;
}

/** The first `limit` rows, and whether others follow. At most one more than that is taken. */
export function takePage<T>(
  list: PagedList,
  rows: Iterable<readonly [place: string, row: T]>,
  limit: number,
): Page<T> {
  const taken: T[] = [];
  let last = '';
  for (const [place, row] of rows) {
    if (taken.length === limit) return { rows: taken, next: formatCursor(list, last) };
    taken.push(row);
    last = place;
  }
  return { rows: taken, next: null };
}
