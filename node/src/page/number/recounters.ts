import type { CosignPayload } from '@assay/core/answer/cosign';
import { moment, scaled } from '../format.ts';
import { type Html, html, type Filling } from '../html.ts';
import type { NumberAnswers } from './number.ts';

/** What a statement of a recounter rests on. */
const BASES = {
  own_read: 'read the sources itself',
  retained_bytes: 'ran the rule on the bytes that the publisher kept',
} as const;

const VERDICTS = {
  agree: 'agrees',
  dissent: 'does not agree',
  abstain: 'takes no side',
} as const;

/** Who recounts a period, and what each of them has stated about it. */
export function recountPart({ index, shown, report, recount }: NumberAnswers): Html {
  const { ticker, format } = index;
  const intro = html`<h2 id="recount">Who recounted it</h2>
    <p>
      A recounter is somebody other than the publisher, who reads the sources and runs the rule on
      its own, and signs the number only where it comes to the same.
    </p>`;
  if (recount === undefined) {
    return html`${intro}
      <p>There is no recount of this period: it was not printed here.</p>`;
  }
  const { cosigners, cosignatures, dissents, quorum, required, period } = recount;
  const decimals = report?.report.decimals ?? index.decimals;
  const stated = [...cosignatures, ...dissents];
  const silent = cosigners.filter(
    ({ key }) => !stated.some(({ statement }) => statement.cosigner === key),
  );
  return html`${intro}
    <p>${countSentence(required, quorum?.have ?? null, quorum?.reached_at ?? null)}</p>
    ${
      stated.length + silent.length > 0 &&
      html`<ul class="trail">
        ${stated.map((each) => statementItem(each, decimals, format))}
        ${silent.map(
          ({ name, key }) =>
            html`<li>
              <strong>${name}</strong> has stated nothing about it
              yet.<br /><code>${key}</code>
            </li>`,
        )}
      </ul>`
    }
    ${
      shown?.status === 'corrected' &&
      html`<p>These statements are about the correction. Of the first final,
        ${shown.quorum?.have ?? 0} recounters have signed, and ${shown.quorum?.required ?? 0} were
        required.</p>`
    }
    <p>
      Every statement with its signature:
      <a href="/v1/indices/${ticker}/recount?period=${period}">the recount as JSON</a>.
    </p>`;
}

function countSentence(required: number, have: number | null, reached: string | null): string {
  if (required === 0) return 'No recount is required before money may settle on this period.';
  if (have === null) return `${required} recounters must sign it. There is no report to sign yet.`;
  const counted = `${have} of ${required} required recounters have signed it`;
  return reached === null ? `${counted}.` : `${counted}: enough, since ${moment(reached)}.`;
}

function statementItem(
  { name, key, statement, seq }: CosignPayload,
  decimals: number,
  format: string,
): Html {
  const { verdict, basis, reason, signed_at, own, kept } = statement;
  const found = own ?? kept;
  const counted: Filling =
    found !== null &&
    found.value !== null &&
    html`, with ${scaled(found.value, decimals, format)} of its own`;
  return html`<li>
    <strong>${name ?? 'A key that the report does not name'}</strong> ${BASES[basis]} and
    <span class="${verdict === 'agree' ? 'good' : 'bad'}">${VERDICTS[verdict]}</span>${counted}${reason !== null && `, because: ${reason}`}.
    <span class="dim">${moment(signed_at)}, entry <a href="/log/${seq}">${seq}</a></span><br /><code>${key}</code>
  </li>`;
}
