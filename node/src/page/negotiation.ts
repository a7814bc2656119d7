/** One media range of an Accept header, with its weight. */
interface Range {
  readonly type: string;
  readonly weight: number;
}

function ranges(accept: string): readonly Range[] {
  return accept.split(',').flatMap((each) => {
    const [type = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const given = parameters.find((part) => part.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    return type === '' || !(weight >= 0 && weight <= 1) ? [] : [{ type, weight }];
  });
}

/** The weight of a type: of the most exact range that it is in (RFC 9110, 12.5.1), and 0 without one. */
function weightOf(type: string, list: readonly Range[]): number {
  const [group = ''] = type.split('/');
  for (const name of [type, `${group}/*`, '*/*']) {
    const found = list.find((range) => range.type === name);
    if (found !== undefined) return found.weight;
  }
  return 0;
}

/**
 * Whether a client prefers a page to JSON. A client that likes both alike gets JSON, so that programs which send no
 * Accept header, or any type, keep what they have always had.
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || !/html/i.test(accept)) return false;
  const list = ranges(accept);
  return weightOf('text/html', list) > weightOf('application/json', list);
}
