import type { LightIndexPayload } from '@assay/core/answer/light-index';
import type { PeriodPayload } from '@assay/core/answer/period';
import type { Assets } from '../asset.ts';
import { moment, period as named } from '../format.ts';
import { type Html, html, live } from '../html.ts';
import { citationPart } from '../number/citation.ts';
import { historyPart } from '../number/history.ts';
import { askNumber, type NumberAnswers } from '../number/number.ts';
import { recountPart } from '../number/recounters.ts';
import { settledSentence, shownValue } from '../number/settled.ts';
import { listingPart, termsPart } from '../number/terms.ts';
import { trailPart } from '../number/trail.ts';
import type { Page } from '../page.ts';
import { verifyBox } from '../verify-box.ts';

/** `/i/{slug}`: one number, whether it is settled, and all that it rests on. `?period=` shows another of its periods. */
export const INDEX_PAGE: Page = {
  path: '/i/:slug',
  async addresses(ask) {
    const { body } = await ask<readonly LightIndexPayload[]>('/v1/indices?view=light');
    return (body ?? []).map(({ slug }) => `/i/${slug}`);
  },
  async make({ ask, params, query, publicUrl, assets }) {
    const asked = query.get('period');
    const answers = await askNumber(ask, params['slug'] ?? '', asked);
    if (typeof answers === 'string') return { missing: answers };
    const { index, shown } = answers;
    const { ticker, slug, title, cadence, format } = index;
    const api = `/v1/indices/${ticker}`;
    const of = shown === undefined ? 'no period yet' : named(shown.period, cadence);
    const number = shown === undefined ? '—' : shownValue(shown, format);
    return {
      title: `${ticker}, ${of}: ${number}`,
      description: `${title}. The number, whether it is settled, who recounted it, and the proof of where it comes from.`,
      canonical: `/i/${slug}${asked === null ? '' : `?period=${asked}`}`,
      ...(asked === null ? { image: `/card/${slug}.png` } : {}),
      body: html`${headPart(answers)} ${shown?.report_hash != null && checkPart(ticker, shown.period, assets)}
      ${historyPart(answers)} ${recountPart(answers)} ${termsPart(answers)} ${trailPart(answers)}
      ${listingPart(answers)} ${citationPart(answers, publicUrl)} ${formsPart(answers)}`,
      alternates: [
        { type: 'application/json', href: api, title: `${ticker} as JSON` },
        { type: 'text/csv', href: `${api}/history.csv`, title: `Every period of ${ticker}` },
        { type: 'application/atom+xml', href: '/changelog.atom', title: 'What has changed' },
      ],
    };
  },
};

function headPart(answers: NumberAnswers): Html {
  const { index, shown, report, periods } = answers;
  const { ticker, title, cadence, format, unit, slug, newest_complete, next_period } = index;
  const head = html`<h1>${ticker}</h1>
    <p class="lead">${title}</p>`;
  const next = html`Next: ${live('next', named(next_period, cadence))}, published from
  ${live('due', moment(index.next_release_at))}.`;
  if (shown === undefined) {
    return html`${head}
      <p class="number large">—</p>
      <p class="state wait">Nothing is published yet.</p>
      <p class="dim">${next}</p>`;
  }
  // What recounters have stated of a correction is not about the first final, on which money settles.
  const dissents = shown.status === 'corrected' ? 0 : (answers.recount?.dissents.length ?? 0);
  const reason = report?.report.reason ?? null;
  const state = settledSentence(shown, index, { reason, dissents });
  const newest = newest_complete === null ? 'none' : named(newest_complete.period, cadence);
  const [newer] = periods;
  return html`${head}
    <p class="number large">${live(`${shown.period}.value`, shownValue(shown, format))}</p>
    <p class="unit">
      ${format !== 'percent' && `${unit}, `}${named(shown.period, cadence)}${live(`${shown.period}.published`, publishedText(shown))}
    </p>
    <p class="state ${state.tone}">${live(`${shown.period}.state`, state.text, state.tone)}</p>
    <p class="dim">
      The newest complete period is <a href="/i/${slug}">${live('newest', newest)}</a>.
      ${
        newer !== undefined &&
        newer.period !== newest_complete?.period &&
        newer.period !== shown.period &&
        html`<a href="/i/${slug}?period=${newer.period}">${named(newer.period, cadence)}</a> is
          ${newer.status}.`
      }
      ${next}
    </p>`;
}

function publishedText({ status, published_at: at }: PeriodPayload): string {
  if (at === null) return '';
  return status === 'corrected' ? ', as first published' : `, published ${moment(at)}`;
}

function checkPart(ticker: string, period: string, assets: Assets): Html {
  return html`<h2>Check it</h2>
    ${verifyBox(ticker, period, assets)}`;
}

/** The same content in forms for programs. */
function formsPart({ index, shown }: NumberAnswers): Html {
  const { ticker } = index;
  const api = `/v1/indices/${ticker}`;
  const at = shown === undefined ? '' : `?period=${shown.period}`;
  return html`<h2 id="forms">For programs</h2>
    <ul>
      <li><a href="${api}">The index as JSON</a>, and <a href="${api}/periods">its periods by pages</a></li>
      ${
        shown?.report_hash != null &&
        shown.unsettled !== 'void' &&
        html`<li><a href="${api}/report${at}">The signed report</a></li>`
      }
      <li><a href="${api}/history.csv">history.csv</a> and <a href="${api}/settlement.csv">settlement.csv</a></li>
      <li>
        Each new entry as it comes: <code>/v1/events?tickers=${ticker}</code>, or a
        <a href="/docs">webhook</a>
      </li>
      <li>
        <a href="/badge/${ticker}.svg">A badge</a> for another page. It is a picture and proves nothing: link it
        to this page.
      </li>
      <li><a href="/changelog.atom">What has changed on this service, as an Atom feed</a></li>
    </ul>`;
}
