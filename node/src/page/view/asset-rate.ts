import type { AssetPayload } from '../../terminal/answer/asset.ts';
import type { NoRatePayload, RatePayload } from '../../terminal/answer/base-rate.ts';
import type { NoRateReason } from '../../terminal/answer/base-rate-answer.ts';
import type { JudgedGroup } from '../../terminal/answer/base-rate-group.ts';
import { change, count, points, range, share } from '../figure.ts';
import { type Html, html, live } from '../html.ts';
import type { Asked } from '../page.ts';
import { EDGE_HEADS, edgeCells } from '../edge-cells.ts';

/** What each reason means to a reader; the answer's own sentence stands behind it. */
const REASONS: Readonly<Record<NoRateReason, string>> = {
  below_threshold: 'There is no base rate now, because the score is not high enough for an event.',
  group_withheld:
    'There is no base rate now, because nothing is known to follow moves like this one more often than by chance.',
  not_current:
    'There is no base rate now, because one is given only at the reading at which an event opens.',
  stock_study: 'There is no base rate yet, because no study of stocks has been published.',
};

/** While the whole class is halted, and not this asset alone. */
const HALTED = 'There is no base rate now, because no asset of this class has a reading of now.';

/** What usually followed openings like that of an asset now, or why that is not said. */
export function assetRate(
  { body, status, detail, problem }: Asked<RatePayload | NoRatePayload>,
  { class: of }: AssetPayload['asset'],
): Html {
  if (body === undefined) {
    const halted = problem?.['halted_classes'];
    if (Array.isArray(halted) && halted.includes(of)) {
      return html`<p>${live('rate', HALTED)}</p>
        <p class="dim">${live('reason', `Why: ${detail}`)}</p>`;
    }
    const why = status === 404 ? 'An asset that is not listed has no base rate.' : detail;
    return html`<p>${why ?? 'The base rate cannot be shown now.'}</p>`;
  }
  return 'base_rate' in body ? noRate(body) : rate(body);
}

const ALL_GROUPS = html`<a href="/base-rates">All groups of the newest study</a>`;

function noRate({ reason, detail, numbers: { group } }: NoRatePayload): Html {
  return html`<p>${live('rate', REASONS[reason])}</p>
    <p class="dim">${live('reason', `Why: ${group === null ? detail : groupText(group)}`)}</p>
    ${
      group !== null &&
      html`<details>
        <summary>What a rate would have needed</summary>
        <ul>
          ${group.withheld.map((each) => html`<li>${each.detail}</li>`)}
        </ul>
      </details>`
    }
    <p class="dim">
      A base rate says how assets did in the week after such an event, compared with quiet assets on
      the same days. It is given only if it was found again in later months and on other assets.
      ${ALL_GROUPS}
    </p>`;
}

/** What is known of a group that does not hold. */
function groupText({
  n,
  n_weeks,
  n_assets,
  edge_7d_pts: mean,
  edge_7d_ci: ci,
}: JudgedGroup): string {
  if (n === 0) return 'no event like this one has been studied.';
  const events = `${n} events like this one were studied, on ${n_assets} assets in ${n_weeks} weeks.`;
  return ci === null
    ? `${events} That is too few to tell anything from chance.`
    : `${events} On average their return after a week less that of quiet assets was ${points(mean)} points (95 % interval ${range(ci)}). That does not pass every test that a rate has to pass.`;
}

/** The horizons of a study as rows. */
const ROWS = [
  ['1d', 'After a day'],
  ['7d', 'After a week'],
  ['30d', 'After 30 days'],
] as const;

function rate(body: RatePayload): Html {
  const { plain, caveats, source, symbol, coin_in_study: isOwn } = body;
  return html`<p>${live('rate', plain)}</p>
    <ul class="dim">
      ${caveats.map((each, at) => html`<li>${live(at === 0 ? 'reason' : `reason ${at}`, each)}</li>`)}
      ${!isOwn && html`<li>${symbol} itself has no event in the study.</li>`}
    </ul>
    ${horizonTable(body)} ${partTable(body)}
    <p class="dim">
      The study is number ${source.number}, entry ${source.seq} of the log, and rests on what stood
      there before. Chance alone may make a group like this one hold once in
      ${count(source.error_one_in.group)} studies like it. Its events and figures are
      <a href="/blob/${source.blob}">one file</a>. ${ALL_GROUPS}
    </p>`;
}

function horizonTable({ horizons, ordinary }: RatePayload): Html {
  return html`<p class="dim">
      What became of the events, beside the quiet assets on the same days. The excess is the return
      less theirs, and half of the events lie in the middle half.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="What followed">
      <table class="tight">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col" class="figure">Events</th>
            <th scope="col" class="figure">Gone</th>
            <th scope="col" class="figure">Higher</th>
            <th scope="col" class="figure">Median return</th>
            <th scope="col" class="figure">Mean excess</th>
            <th scope="col" class="figure">Median excess</th>
            <th scope="col" class="figure">Middle half</th>
          </tr>
        </thead>
        <tbody>
          ${ROWS.map(([horizon, name]) => {
            const [of, quiet] = [horizons[horizon], ordinary[horizon]];
            return html`<tr>
              <td>${name}</td>
              <td class="figure">${of.n}</td>
              <td class="figure">${of.gone}</td>
              <td class="figure">${share(of.up_share)}<br /><span class="dim">quiet ${share(quiet.up_share)}</span></td>
              <td class="figure">${change(of.median_ret_pct)}<br /><span class="dim">quiet ${change(quiet.median_ret_pct)}</span></td>
              <td class="figure">${change(of.mean_excess_pct)}</td>
              <td class="figure">${change(of.median_excess_pct)}</td>
              <td class="figure">${range(quartiles(of))}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>`;
}

function quartiles({
  quarter_excess_pct: low,
  three_quarter_excess_pct: high,
}: RatePayload['horizons']['7d']): readonly [number, number] | null {
  return low === null || high === null ? null : [low, high];
}

function partTable(body: RatePayload): Html {
  const { two_against, chosen, later, other_assets } = body.parts;
  const parts = [
    ['All assets', 'all months', body],
    ['Half of the assets', 'earlier months', chosen],
    ['All assets', 'later months', later],
    ['The other half', 'later months', other_assets],
    ['All assets', 'two events against them', two_against],
  ] as const;
  return html`<p class="dim">
      The same excess after a week in each part of the events, over its 95 % interval. It has to be
      there in every row, whatever was lost in the assets that have no price any more. The last row
      has two more events, which did not happen: they go against the others by the largest excess of
      the study.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Parts of the events">
      <table class="tight">
        <thead>
          <tr>
            <th scope="col">Part</th>
            ${EDGE_HEADS}
          </tr>
        </thead>
        <tbody>
          ${parts.map(
            ([assets, months, part]) =>
              html`<tr>
                <td>${assets}<br /><span class="dim">${months}</span></td>
                ${edgeCells(part)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
