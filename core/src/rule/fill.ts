import { civilOf, formatDate } from '../time.ts';
import type { SourceRequest } from '../request.ts';

/**
 * A rule's request for one period: `{period}`, `{Y}`, `{M}`, `{D}`, `{Y-1}` and `{MMDDYY}` filled in.
 * `{secret:NAME}` is left as it stands.
 */
export function fillRequest(request: SourceRequest, period: number): SourceRequest {
  const { year, month, day } = civilOf(period);
  const variables: Readonly<Record<string, string>> = {
    '{period}': formatDate(period),
    '{Y}': String(year),
    '{Y-1}': String(year - 1),
    '{M}': two(month),
    '{D}': two(day),
    '{MMDDYY}': `${two(month)}${two(day)}${two(year % 100)}`,
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{(?:period|Y-1|Y|M|D|MMDDYY)\}/g, (name) => variables[name] ?? name);
  return {
    ...request,
    url: fill(request.url),
    body: request.body === null ? null : fill(request.body),
    headers: request.headers.map(({ name, value }) => ({ name, value: fill(value) })),
  };
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
