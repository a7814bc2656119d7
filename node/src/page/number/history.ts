import type { PeriodPayload } from '@assay/core/answer/period';
import { lineChart } from '../chart.ts';
import { day, period as named, value } from '../format.ts';
import { type Html, html } from '../html.ts';
import type { NumberAnswers } from './number.ts';
import { rowState } from './settled.ts';

/** How many of the newest periods the table has. */
const LISTED = 60;

/** The newest periods of an index as a chart and as a table, with a link to all of them. */
export function historyPart({ index, periods, hasMore }: NumberAnswers): Html {
  const { ticker, slug, cadence, format, unit } = index;
  const drawn = periods.toReversed().flatMap((each) => {
    const text = each.settlement_value_decimal ?? each.value_decimal;
    if (text === null) return [];
    return {
      label: named(each.period, cadence),
      value: Number(text),
      isHistory: each.status === 'history',
      revised: each.revised_decimal === null ? undefined : Number(each.revised_decimal),
    };
  });
  const amount = format === 'percent' ? 'percent' : unit;
  const listed = periods.slice(0, LISTED);
  return html`<h2 id="history">History</h2>
    ${
      drawn.length > 0 &&
      html`<figure>
        ${lineChart(drawn, {
          title: `${ticker} in ${amount}, ${hasMore ? 'its newest' : 'all'} ${drawn.length} periods with a number`,
          format: (each) => value(String(each), format),
        })}
        <figcaption class="dim">${legend(drawn)}</figcaption>
      </figure>`
    }
    ${drawn.length === 0 && listed.length > 0 && html`<p>No period shows a number, so that there is nothing to draw.</p>`}
    ${
      listed.length > 0 &&
      html`<details>
        <summary>
          ${listed.length < periods.length || hasMore ? `The newest ${listed.length} periods` : `All ${listed.length} periods`}
          as a table
        </summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Periods of ${ticker}">
          <table>
            <thead>
              <tr>
                <th scope="col">Period</th>
                <th scope="col" class="figure">First print</th>
                <th scope="col" class="figure">Figure known later</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              ${listed.map((each) => row(each, slug, cadence, format))}
            </tbody>
          </table>
        </div>
      </details>`
    }
    <p>
      Every period as a file: <a href="/v1/indices/${ticker}/history.csv">history.csv</a> with the
      numbers, and <a href="/v1/indices/${ticker}/settlement.csv">settlement.csv</a> with whether
      each of them is settled.
    </p>`;
}

/** What the lines and dots of the chart mean, of those that it has. */
function legend(
  points: readonly { readonly isHistory: boolean; readonly revised?: number | undefined }[],
): string {
  const history = points.filter(({ isHistory }) => isHistory).length;
  const printed = points.length - history;
  const parts: string[] = [];
  if (printed > 0) {
    parts.push(
      `${printed === 1 ? 'One period was' : `${printed} periods were`} printed here first: the strong line, which ends in the dot.`,
    );
  }
  if (history > 0) {
    parts.push(
      `${history === 1 ? 'One was' : `${history} were`} loaded from the source later: the pale line. Nothing settles on those.`,
    );
  }
  if (points.some(({ revised }) => revised !== undefined)) {
    parts.push(
      'A ring is the figure that the source gives today, where it differs from the first print.',
    );
  }
  return parts.join(' ');
}

function row(each: PeriodPayload, slug: string, cadence: string, format: string): Html {
  return html`<tr>
    <td><a href="/i/${slug}?period=${each.period}">${named(each.period, cadence)}</a></td>
    <td class="figure">${firstPrint(each, format)}</td>
    <td class="figure">${laterFigure(each, format)}</td>
    <td>${rowState(each)}</td>
  </tr>`;
}

function firstPrint(each: PeriodPayload, format: string): string {
  if (each.status === 'history') return '—';
  if (each.withheld) return 'withheld';
  return value(each.settlement_value_decimal ?? each.value_decimal, format);
}

/** What the source or the publisher has said since then: a revision, a correction, or a figure of loaded history. */
function laterFigure(each: PeriodPayload, format: string): string {
  const { status, revised_decimal, revised_on, value_decimal } = each;
  if (revised_decimal !== null) {
    const on = revised_on === null ? '' : `, ${day(revised_on)}`;
    return `${value(revised_decimal, format)}${on}`;
  }
  if (status === 'history') return value(value_decimal, format);
  return status === 'corrected' ? `${value(value_decimal, format)}, a correction` : '—';
}
