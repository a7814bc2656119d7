import { shiftPeriod } from '@assay/core/rule/period';
import { releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import { civilOf, DAY_SECONDS, parseDate } from '@assay/core/time/time';
import type { MacroSample, Month } from './macro-sample.ts';
import { jsonPage, NOT_FOUND, pathOf, queryOf, type Site } from './site.ts';
import { syntheticMonths } from './synthetic-months.ts';

/** A series, by its publisher's name, as it is at a time; undefined if there is none. */
export type SeriesAt = (series: string, now: number) => readonly Month[] | undefined;

/** A release is published at 08:30 in New York, which is after this second of its UTC day all year. */
const OUT = 12 * 3600;

/** The typed-in vintages, each from its release on. */
export function sampleMonths(samples: readonly MacroSample[]): SeriesAt {
  return (series, now) => {
    const found = samples.find((sample) => sample.series === series);
    if (found === undefined) return undefined;
    const vintage = found.vintages.findLast(({ released }) => released * DAY_SECONDS + OUT <= now);
    return vintage?.months ?? [];
  };
}

/** The newest typed-in months, and invented ones from the releases of the series' rule on. */
export function inventedMonths(
  samples: readonly MacroSample[],
  rules: ReadonlyMap<string, Rule>,
): SeriesAt {
  return (series, now) => {
    const months = samples.find((sample) => sample.series === series)?.vintages.at(-1)?.months;
    const rule = rules.get(series);
    const last = months?.at(-1);
    if (months === undefined || rule === undefined || last === undefined) return undefined;
    let newest = last.period;
    for (;;) {
      const next = shiftPeriod('month', newest, 1);
      if (releaseTime(rule.release, 'month', next) > now) break;
      newest = next;
    }
    if (parseDate(rule.applies_from) > newest) return months;
    return [...months, ...syntheticMonths(series, last, newest)];
  };
}

/** The public data API: series of the requested years, newest month first. */
export function blsApiSite(at: SeriesAt): Site {
  return (request, now) => {
    const asked = request.method === 'POST' ? posted(request.body ?? '') : queried();
    const series = asked.ids.map((seriesID) => ({
      seriesID,
      data: dataOf(seriesID, at(seriesID, now) ?? [], asked.from, asked.to),
    }));
    const message = ['Development network: typed-in or invented figures.'];
    return jsonPage({ status: 'REQUEST_SUCCEEDED', responseTime: 1, message, Results: { series } });

    function queried(): Asked {
      const query = queryOf(request);
      const ids = [pathOf(request).split('/').at(-1) ?? ''];
      return { ids, from: Number(query.get('startyear')), to: Number(query.get('endyear')) };
    }
  };
}

interface Asked {
  readonly ids: readonly string[];
  readonly from: number;
  readonly to: number;
}

function posted(body: string): Asked {
  const { seriesid, startyear, endyear } = JSON.parse(body) as {
    seriesid: readonly string[];
    startyear: string;
    endyear: string;
  };
  return { ids: seriesid, from: Number(startyear), to: Number(endyear) };
}

function dataOf(
  series: string,
  months: readonly Month[],
  from: number,
  to: number,
): readonly object[] {
  const newest = months.at(-1)?.period;
  return months
    .filter(({ period }) => civilOf(period).year >= from && civilOf(period).year <= to)
    .map(({ period, level }, i, all) => {
      const { year, month } = civilOf(period);
      const preliminary = series.startsWith('CES') && i >= all.length - 2;
      return {
        year: String(year),
        period: `M${String(month).padStart(2, '0')}`,
        periodName: NAMES[month - 1],
        ...(period === newest ? { latest: 'true' } : {}),
        value: level ?? '-',
        footnotes: [
          level === null
            ? { code: 'X', text: 'Data unavailable due to the 2025 lapse in appropriations' }
            : preliminary
              ? { code: 'P', text: 'preliminary' }
              : {},
        ],
      };
    })
    .reverse();
}

const NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** The flat files: every month of each series of a survey, with fields padded with spaces. */
export function blsFlatSite(at: SeriesAt, names: readonly string[]): Site {
  return (request, now) => {
    const survey = /^\/pub\/time\.series\/([a-z]{2})\//.exec(pathOf(request))?.[1];
    const own = names.filter((name) => name.slice(0, 2).toLowerCase() === survey);
    if (own.length === 0) return NOT_FOUND;
    const lines = own.flatMap((series) =>
      (at(series, now) ?? []).map(({ period, level }) => {
        const { year, month } = civilOf(period);
        const value = (level ?? '-').padStart(12);
        const note = level === null ? 'X' : '';
        return `${series.padEnd(30)}\t${year}\tM${String(month).padStart(2, '0')}\t${value}\t${note}`;
      }),
    );
    const header = `${'series_id'.padEnd(30)}\tyear\tperiod\t${'value'.padStart(12)}\tfootnote_codes`;
    return { contentType: 'text/plain', body: `${[header, ...lines].join('\r\n')}\r\n` };
  };
}

/** DBnomics' copy: months and levels side by side, the levels as JSON numbers. */
export function dbnomicsSite(at: SeriesAt): Site {
  return (request, now) => {
    const months = at(pathOf(request).split('/').at(-1) ?? '', now);
    if (months === undefined) return NOT_FOUND;
    const period = months.map((month) => {
      const { year, month: number } = civilOf(month.period);
      return `"${year}-${String(number).padStart(2, '0')}"`;
    });
    const value = months.map(({ level }) => level ?? '"NA"');
    const body = `{"series":{"docs":[{"period":[${period.join()}],"value":[${value.join()}]}]}}`;
    return { contentType: 'application/json', body };
  };
}
