import { DAY_SECONDS, formatDate, parseDate } from '@assay/core/time/time';
import { draw } from './draw.ts';
import { jsonPage, NOT_FOUND, pathOf, queryOf, type Site } from './site.ts';

const PAGE_ROWS = 20;
const APPOINTMENTS = ['Permanent', 'Permanent', 'Temporary', 'Term', 'Seasonal', 'Intermittent'];

/** Historic job announcements of a range of opening dates, in pages. Some appear a day late. */
export const usajobsSite: Site = (request, now) => {
  if (pathOf(request) !== '/api/historicjoa') return NOT_FOUND;
  const query = queryOf(request);
  const from = dayOf(query.get('StartPositionOpenDate'));
  const to = dayOf(query.get('EndPositionOpenDate'));
  if (from === undefined || to === undefined || to - from > 366) return NOT_FOUND;
  const rows: object[] = [];
  for (let day = from; day <= to; day += 1) {
    for (const { from: listed, row } of announcements(day)) if (listed <= now) rows.push(row);
  }
  const start = Number(query.get('continuationtoken') ?? '0');
  const more = start + PAGE_ROWS < rows.length;
  const continuationToken = more ? String(start + PAGE_ROWS) : null;
  return jsonPage({
    paging: {
      metadata: { totalCount: rows.length, pageSize: PAGE_ROWS, continuationToken },
      next: more ? `/api/historicjoa?continuationtoken=${continuationToken}` : null,
    },
    data: rows.slice(start, start + PAGE_ROWS),
  });
};

/** `MM-DD-YYYY` as a day number. */
function dayOf(text: string | null): number | undefined {
  const [, month, day, year] = /^([0-9]{2})-([0-9]{2})-([0-9]{4})$/.exec(text ?? '') ?? [];
  return year === undefined ? undefined : parseDate(`${year}-${month}-${day}`);
}

/** An announcement, and the second from which on it is listed. */
interface Announcement {
  readonly from: number;
  readonly row: object;
}

const HELD_DAYS = 16;
const held = new Map<number, readonly Announcement[]>();

/** The announcements of a day, which is requested again and again while it is within a range. */
function announcements(day: number): readonly Announcement[] {
  const before = held.get(day);
  if (before !== undefined) return before;
  const made = announce(day);
  held.set(day, made);
  const [oldest] = held.keys();
  if (held.size > HELD_DAYS && oldest !== undefined) held.delete(oldest);
  return made;
}

function announce(day: number): readonly Announcement[] {
  const date = formatDate(day);
  const count = 3 + draw(`usajobs/${date}`, 4);
  return Array.from({ length: count }, (_, i) => {
    const words = `usajobs/${date}/${i}`;
    const late = draw(`${words}/late`, 4) === 0 ? 1 : 0;
    const hourly = draw(`${words}/salary`, 4) > 0;
    const cents = 1500 + draw(`${words}/pay`, 1800);
    const dollars = hourly ? cents / 100 : 30 * cents;
    const row = {
      usajobsControlNumber: 800_000_000 + day * 100 + i,
      positionOpenDate: date,
      appointmentType: APPOINTMENTS[draw(`${words}/appointment`, APPOINTMENTS.length)],
      workSchedule: 'Full-time',
      salaryType: hourly ? 'Per Hour' : 'Per Year',
      minimumSalary: dollars,
      maximumSalary: dollars * 1.5,
      whoMayApply: 'The public',
      totalOpenings: '1',
      positionOpeningStatus: 'Accepting applications',
    };
    return { from: (day + 1 + late) * DAY_SECONDS, row };
  });
}
