import { DAY_SECONDS, formatDate, formatTime } from '@assay/core/time/time';
import { draw } from './draw.ts';
import { NOT_FOUND, jsonPage, pathOf, queryOf, type Site } from './site.ts';

const PAGE_ROWS = 10;
/** How many days of models the hub has. */
const HELD_DAYS = 10;

interface Model {
  readonly id: string;
  readonly created: number;
}

/** A hub for models: newest first, with the next page in a Link header. */
export const hubSite: Site = (request, now) => {
  if (pathOf(request) !== '/api/models') return NOT_FOUND;
  const query = queryOf(request);
  const before = Number(query.get('cursor') ?? now + 1);
  const rows: Model[] = [];
  const today = Math.floor(now / DAY_SECONDS);
  for (let day = today; day > today - HELD_DAYS && rows.length < PAGE_ROWS; day -= 1) {
    rows.push(...modelsOf(day).filter(({ created }) => created < before && created <= now));
  }
  const shown = rows.slice(0, PAGE_ROWS);
  const page = jsonPage(
    shown.map(({ id, created }) => ({
      _id: created.toString(16).padStart(8, '0') + id.padStart(16, '0'),
      id: `development/${id}`,
      likes: 0,
      private: false,
      downloads: 0,
      tags: [],
      createdAt: formatTime(created).replace('Z', '.000Z'),
      modelId: `development/${id}`,
    })),
  );
  const last = shown.at(-1);
  if (last === undefined) return page;
  query.set('cursor', String(last.created));
  return { ...page, next: `${request.url.replace(/\?.*$/, '')}?${query.toString()}` };
};

const held = new Map<number, readonly Model[]>();

/** The models of a day, newest first, which are requested again and again. */
function modelsOf(day: number): readonly Model[] {
  const before = held.get(day);
  if (before !== undefined) return before;
  const made = create(day);
  held.set(day, made);
  const [oldest] = held.keys();
  if (held.size > 2 * HELD_DAYS && oldest !== undefined) held.delete(oldest);
  return made;
}

/** No two of them are created at the same second. */
function create(day: number): readonly Model[] {
  const count = 6 + draw(`models/${formatDate(day)}`, 7);
  const span = Math.floor(DAY_SECONDS / count);
  return Array.from({ length: count }, (_, i) => {
    const from = day * DAY_SECONDS + i * span;
    const created = from + draw(`models/${formatDate(day)}/${i}`, span);
    return { id: `${day.toString(16)}${i.toString(16)}`, created };
  }).reverse();
}
