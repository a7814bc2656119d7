import { type Release, releaseDay, releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import { civilOf, DAY_SECONDS, daysFromCivil, formatDate, parseDate } from '@assay/core/time/time';
import type { Vintage, Week } from './claims-sample.ts';
import { plainPdf } from './plain-pdf.ts';
import { NOT_FOUND, pathOf, type Site, type SitePage } from './site.ts';
import { syntheticWeeks } from './synthetic-claims.ts';

const KIND = 'week_ending_saturday';
const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** The series as it is at a time, with its newest week as first printed. */
export type ClaimsAt = (now: number) => readonly Week[];

/** The typed-in vintages, each from its own day. */
export function sampleClaims(vintages: readonly Vintage[]): ClaimsAt {
  return (now) => vintages.findLast(({ asOf }) => asOf * DAY_SECONDS <= now)?.weeks ?? [];
}

/** The typed-in weeks, and after them invented ones from their releases on. */
export function syntheticClaims(vintages: readonly Vintage[], rule: Rule): ClaimsAt {
  const sample = sampleClaims(vintages);
  const first = parseDate(rule.applies_from);
  return (now) => {
    let newest = first - 7;
    while (releaseTime(rule.release, KIND, newest + 7) <= now) newest += 7;
    return [...sample(now), ...syntheticWeeks(first, newest)];
  };
}

/**
 * The press release of each week and its series, in the formats of the Department of Labor, and an archive's
 * copy of the release.
 */
export function claimsSite(claims: ClaimsAt, release: Release): Site {
  return (request, now) => {
    const path = pathOf(request);
    if (path === '/unemploy/wkclaims/report.asp') {
      return request.method === 'POST' ? series(claims(now), request.body ?? '') : NOT_FOUND;
    }
    const file = /\/press\/[0-9]{4}\/([0-9]{2})([0-9]{2})([0-9]{2})\.pdf$/.exec(path);
    if (file === null) return NOT_FOUND;
    const [, month, day, year] = file.map(Number) as [number, number, number, number];
    return pressRelease(claims, release, daysFromCivil(2000 + year, month, day), now);
  };
}

/** The release of a day, as it was on that day. */
function pressRelease(claims: ClaimsAt, release: Release, day: number, now: number): SitePage {
  const end = Math.min(now, day * DAY_SECONDS + DAY_SECONDS - 1);
  const weeks = claims(end);
  const newest = weeks.at(-1);
  if (newest === undefined || releaseDay(release, KIND, newest.period) !== day) return NOT_FOUND;
  if (releaseTime(release, KIND, newest.period) > now) return NOT_FOUND;
  const before = weeks.at(-2)?.claims ?? newest.claims;
  const change = newest.claims - before;
  const moved = `${change < 0 ? 'a decrease' : 'an increase'} of ${grouped(Math.abs(change))}`;
  const pdf = plainPdf([
    [
      [[72, 'DEVELOPMENT NETWORK. This is not a publication of the Department of Labor.']],
      [[72, 'The figure is typed in or invented. Nothing may be settled on it.']],
      [],
      [
        [
          72,
          `In the week ending ${monthDay(newest.period)}, the advance figure for seasonally adju sted initia l cla ims`,
        ],
      ],
      [
        [
          72,
          `was ${grouped(newest.claims)}, ${moved} from the previous week's level of ${grouped(before)}.`,
        ],
      ],
      [],
      [
        [72, 'WEEK ENDING'],
        [222, monthDay(newest.period)],
        [320, monthDay(newest.period - 7)],
        [420, 'Change'],
      ],
      [
        [72, 'Initia l Cla ims (SA)'],
        [222, grouped(newest.claims)],
        [320, grouped(before)],
        [420, grouped(change)],
      ],
    ],
  ]);
  return { contentType: 'application/pdf', body: pdf };
}

/** The weeks of the requested years. Two future weeks have their factor alone. */
function series(weeks: readonly Week[], body: string): SitePage {
  const asked = new URLSearchParams(body);
  const years = ['strtdate', 'enddate'].map((name) => Number(asked.get(name)));
  const [from = 0, to = 0] = years;
  const newest = weeks.at(-1)?.period ?? 0;
  const ahead = [newest + 7, newest + 14].map((period) => ({ period, claims: null }));
  const rows = [...weeks, ...ahead]
    .filter(({ period }) => civilOf(period).year >= from && civilOf(period).year <= to)
    .map(({ period, claims }) => {
      const { year, month, day } = civilOf(period);
      const date = [month, day, year].map((each) => String(each).padStart(2, '0')).join('/');
      const level = claims === null ? '&#160;' : grouped(claims);
      return (
        ` <week><weekEnded>${date}</weekEnded>\n` +
        `  <InitialClaims><SF>100.0</SF><SA>${level}</SA></InitialClaims></week>`
      );
    });
  const lines = [
    '<?xml version="1.0"?>',
    '<!-- Development network: typed-in or invented figures. -->',
    `<r539cyNational rundate="${formatDate(newest)}">`,
    ...rows,
    '</r539cyNational>',
    '',
  ];
  return { contentType: 'text/xml', body: lines.join('\n') };
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function monthDay(day: number): string {
  const civil = civilOf(day);
  return `${MONTHS[civil.month - 1]} ${civil.day}`;
}
