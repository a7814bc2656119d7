import type { ListingPayload } from '@assay/core/answer/listing';
import { duration, moment, period as named, value } from '../format.ts';
import { type Html, html } from '../html.ts';
import type { NumberAnswers } from './number.ts';

/** On what money settles: the clause, the source with its terms, a tie, and when the number can change no more. */
export function termsPart({ index, rule: payload, report, recount, shown }: NumberAnswers): Html {
  const { rule } = payload;
  const { rights, release, revision, tie } = rule;
  const other = report !== undefined && report.report.rule.hash !== payload.hash;
  const release_at = recount?.release_at ?? null;
  return html`<h2 id="terms">What settles, and when</h2>
    <p>
      ${
        rights.settlement === 'yes'
          ? 'Money settles on the first number that is final. What its source revises later, and what the publisher corrects, is shown beside it and changes nothing.'
          : 'No money settles on this index: its rule or the terms of its source do not allow it.'
      }
    </p>
    ${
      other &&
      html`<p>
        This period was made under version ${report.report.rule.version} of the rule. What stands
        here is version ${payload.version}.
      </p>`
    }
    <dl class="facts">
      <dt>Source</dt>
      <dd>${rule.source}. <a href="${rights.terms_url}" rel="noopener nofollow">Its terms</a></dd>
      <dt>What its terms say</dt>
      <dd>
        <blockquote>${rights.clause}</blockquote>
        <span class="dim">As read on ${rights.retrieved}. ${rights.attribution}</span>
      </dd>
      <dt>Released</dt>
      <dd>${release_at === null ? '—' : moment(release_at)}</dd>
      <dt>Frozen</dt>
      <dd>
        ${
          revision.freeze_after_s === 0
            ? 'The first number that is published is final.'
            : `The number is provisional for ${duration(revision.freeze_after_s)} after its release, in which the source may still correct it. Then it is signed as final and never changes.`
        }
      </dd>
      <dt>If there is none</dt>
      <dd>
        A period without a number ${duration(release.deadline_s)} after its release is void, and a
        signed report says
        so.${release.late?.kind === 'from_publication' && ' A number that the source publishes late settles as well, by clocks that run from when its recounters saw it.'}
      </dd>
      <dt>At a tie</dt>
      <dd>${tie.text}</dd>
      <dt>Sources that must agree</dt>
      <dd>${rule.aggregate.quorum}, of ${rule.providers.length} that are read</dd>
      <dt>The rule</dt>
      <dd>
        <a href="/v1/indices/${index.ticker}/rule">Version ${payload.version}</a>,
        <code>${payload.hash}</code>
      </dd>
    </dl>
    ${
      shown?.status === 'corrected' &&
      html`<p>
        A correction of this period was published after its first final: the publisher now gives
        ${value(shown.value_decimal, index.format)}. Money settles on the first final all the same.
      </p>`
    }`;
}

/** A market on the next print, ready to be listed; or why none is offered. */
export function listingPart({ index, listing, noListing }: NumberAnswers): Html {
  return html`<h2 id="listing">For a market on the next number</h2>
    ${
      listing === undefined
        ? html`<p>There is no listing kit. ${noListing}</p>`
        : kit(listing, index.cadence, index.format)
    }`;
}

function kit(listing: ListingPayload, cadence: string, format: string): Html {
  const { question, strikes, settlement, tie, period, ticker, reference } = listing;
  return html`<p>${question}</p>
    <dl class="facts">
      <dt>Period</dt>
      <dd>${named(period, cadence)}</dd>
      <dt>Strikes</dt>
      <dd>
        ${strikes.length === 0 ? 'None before the first number.' : strikes.map((each) => value(each, format)).join(' · ')}
      </dd>
      ${
        reference !== null &&
        html`<dt>Around</dt>
          <dd>
            ${value(reference.settlement_value, format)} (${named(reference.period, cadence)})
          </dd>`
      }
      <dt>At a tie</dt>
      <dd>${tie.text}</dd>
      <dt>Released</dt>
      <dd>${moment(settlement.release_at)}</dd>
      <dt>Final from</dt>
      <dd>${moment(settlement.final_from)}</dd>
      <dt>Void after</dt>
      <dd>${moment(settlement.void_after)}</dd>
      <dt>Settles on</dt>
      <dd>${settlement.on}</dd>
    </dl>
    <p>
      All of it, to be pasted: <a href="/v1/indices/${ticker}/listing.json">listing.json</a>.
    </p>`;
}
