import type { BreadthName, Bucket } from '@assay/core/kind/event-group';
import type { EdgeReason } from '@assay/core/terminal/edge/edge-groups';
import { MIN_CONTROLS } from '@assay/core/terminal/edge/moment-sample';
import type { JudgedGroup } from '../../terminal/answer/base-rate-group.ts';
import type { StudiesPayload, StudyPayload } from '../../terminal/answer/base-rates.ts';
import { EDGE_HEADS, edgeCells } from '../edge-cells.ts';
import { count } from '../figure.ts';
import { day } from '../format.ts';
import { type Html, html, live, unseen } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';

const CLASSES: Readonly<Record<string, string>> = { crypto: 'Crypto assets', stock: 'Stocks' };

const MOVES: Readonly<Record<Bucket, string>> = {
  down_15: 'Fall of 15 % or more',
  down_5: 'Fall of 5 % to 15 %',
  within_5: 'Move below 5 %',
  up_5: 'Rise of 5 % to 15 %',
  up_15: 'Rise of 15 % to 30 %',
  up_30: 'Rise of 30 % or more',
};

const OTHERS: Readonly<Record<BreadthName, string>> = {
  alone: 'with below 10 % of all',
  some: 'with 10 % to 30 % of all',
  broad: 'with 30 % of all or more',
};

const REASONS: Readonly<Record<EdgeReason, string>> = {
  few_weeks: 'too few weeks',
  few_assets: 'too few assets',
  family: 'chance explains it',
  two_against: 'two events could undo it',
  not_chosen: 'not in the earlier months',
  later: 'not in the later months',
  other_assets: 'not on the other assets',
};

/** `/base-rates`: every group of the newest studies with its interval, held or not. */
export const BASE_RATES_PAGE: Page = {
  path: '/base-rates',
  async make({ ask }) {
    const { studies } = bodyOf(await ask<StudiesPayload>('/v1/base-rates'));
    return {
      title: 'Base rates: what followed events',
      description:
        'What assets did in the week after an event opened, in 18 groups, with intervals, and which of them hold.',
      canonical: '/base-rates',
      body: html`<h1>Base rates</h1>
        <p class="lead">
          When an event opens, what did assets do in the week after events like it? Events are
          alike if the asset had moved as far over a day, and as many others had moved the same way.
        </p>
        <p>
          Each is compared with the assets that were quiet on the same days, so that a week in which
          everything rises counts for nothing. The mean says by how many percentage points the
          assets of a group did better (+) or worse (−) than those. Below it stands its 95 %
          interval: where 0 lies inside, nothing was found that chance could not do. Where assets
          had no price any more after the week, their holders got something between nothing and the
          last price: then the mean is a range, and the interval allows for all of it.
        </p>
        ${studies.length === 0 ? html`<p>${live('state', NO_STUDY)}</p>` : [unseen('state', NEWER), ...studies.map(study)]}`,
      follows: ['study'],
      alternates: [
        { type: 'application/json', href: '/v1/base-rates', title: 'The groups as JSON' },
      ],
    };
  },
};

const NO_STUDY =
  'No study is frozen yet. One is made each month, from two months after the first reading on.';

/** For readers of a rendering whose tables are older. */
const NEWER = 'A study has been frozen since. Reload this page to see it.';

function study(of: StudyPayload): Html {
  const { class: name, source, n, groups } = of;
  const { number } = source;
  return html`<h2>${CLASSES[name] ?? name}: study ${number}</h2>
    <p>${live(`${name}.${number}`, heldText(groups))}</p>
    ${Array.from({ length: number - 1 }, (_, before) => unseen(`${name}.${before + 1}`, NEWER))}
    <p class="dim">
      A rate is given only for a group that holds. Chance may let one group hold once in
      ${count(source.error_one_in.group)} such studies, and all studies ever together once in 20. The
      mean must also be there in three parts of the events: on half of the assets in the earlier
      months, on all assets in the later months${of.later_from !== null && `, from ${day(of.later_from)} on`}, and on the other
      half of the assets in those. And two more events against it, each as large as the largest
      of the study, must not undo it. A group that holds was selected, so that its mean is too far from 0
      on average.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Groups of ${name}">
      <table class="tight">
        <thead>
          <tr>
            <th scope="col">Move over a day</th>
            ${EDGE_HEADS}
            <th scope="col">Holds</th>
          </tr>
        </thead>
        <tbody>
          ${groups.map(row)}
        </tbody>
      </table>
    </div>
    <p class="dim">
      The study rests on ${count(n)} events. Left out were ${count(of.left_out.few_controls)} with
      fewer than ${MIN_CONTROLS} quiet assets to compare with, ${count(of.left_out.no_entry)} after which no price
      came, ${count(of.left_out.no_exit)} for which most of the quiet assets had no price after a week,
      and ${count(of.left_out.not_over)} whose week is not over. It is
      <a href="/log/${source.seq}">entry ${source.seq}</a> of the log, and its events and figures are
      <a href="/blob/${source.blob}">one file</a>.
    </p>`;
}

/** How many groups hold, and what that means. */
function heldText(groups: readonly JudgedGroup[]): string {
  const held = groups.filter(({ withheld }) => withheld.length === 0).length;
  if (held > 0) {
    return `${held} of ${groups.length} groups ${held === 1 ? 'holds' : 'hold'}.`;
  }
  return 'No group holds, and so no rate is given. That is the usual result: a year has some fifty weeks, and only large effects can be told from chance in so few.';
}

function row(group: JudgedGroup): Html {
  const move = MOVES[group.bucket];
  const name = html`<td>${group.withheld.length === 0 ? html`<strong>${move}</strong>` : move}<br /><span class="dim">${OTHERS[group.breadth]}</span></td>`;
  if (group.n === 0) {
    return html`<tr>
      ${name}
      <td class="dim" colspan="3">no event</td>
    </tr>`;
  }
  return html`<tr>
    ${name} ${edgeCells(group)}
    <td>${heldCell(group)}</td>
  </tr>`;
}

/** Whether a group holds. Where there are too few events, the other reasons say nothing more. */
function heldCell({ withheld }: JudgedGroup): Html {
  const reasons = withheld.map(({ reason }) => reason);
  const few = reasons.filter((reason) => reason === 'few_weeks' || reason === 'few_assets');
  if (reasons.length === 0) return html`<strong>yes</strong>`;
  const shown = (few.length > 0 ? few : reasons).map((reason) => REASONS[reason]);
  const lines = [shown.slice(0, 2), shown.slice(2)].filter((line) => line.length > 0);
  return html`no<br /><span class="dim">${lines.map((line, at) => html`${at > 0 && html`,<br />`}${line.join(', ')}`)}</span>`;
}
