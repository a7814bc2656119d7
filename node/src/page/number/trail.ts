import type { ReportPayload } from '@assay/core/answer/report';
import type { Provider } from '@assay/core/rule/rule';
import type { Role } from '@assay/core/rule/rule';
import type { Read } from '@assay/core/report/report';
import type { ReadFailure } from '@assay/core/rule/value';
import { grouped, moment, scaled } from '../format.ts';
import { type Html, html } from '../html.ts';
import type { KeptRead, NumberAnswers } from './number.ts';

/** Answers of a source that are linked one by one; its manifest names all. */
const LINKED = 3;

const ROLES: Readonly<Record<Role, string>> = {
  record: 'the publisher of record',
  mirror: 'a mirror of it',
  custody: 'a copy in other hands',
  check: 'a check',
};

/** Why a source gave no number. */
const FAILURES: Readonly<Record<ReadFailure, string>> = {
  malformed: 'its answer was not what the rule reads',
  not_published: 'it had no number yet',
  no_source: 'it said that there is no number',
  superseded: 'it already showed a later period',
  copy_differs: 'it differed from the publisher of record',
  check_failed: 'two places of its document disagreed',
  out_of_range: 'its number was too large',
  bad_status: 'it answered with an error',
  unreachable: 'it did not answer',
  timeout: 'it answered too slowly',
  too_large: 'its answer was too large',
  redirect_refused: 'it led to an address that the rule does not allow',
};

/** The way of a number from what its sources answered to the log, Bitcoin and the account on chain. */
export function trailPart(answers: NumberAnswers): Html {
  const { index, report, kept, rule, shown, isIndexed } = answers;
  const head = html`<h2 id="trail">Where it comes from</h2>`;
  if (report === undefined) {
    return html`${head}
      <p>
        There is no report of this
        period.${shown?.status === 'history' && ' Its figure was loaded from the source as history, without a signed first print.'}
      </p>`;
  }
  const { rule: under } = report.report;
  return html`${head}
    <p>Each step names the one before it by its hash, so that none can be changed alone.</p>
    <ol class="trail">
      <li>
        <strong>The sources answered.</strong>
        <ul>
          ${report.report.reads.map((read) =>
            readItem(read, { report, kept, providers: rule.rule.providers, format: index.format }),
          )}
        </ul>
      </li>
      <li>
        <strong>The rule made a number of it.</strong> Version ${under.version} of the
        <a href="/v1/indices/${index.ticker}/rule">rule</a>: <code>${under.hash}</code>
      </li>
      ${reportItem(report, index.ticker)} ${logItem(report, isIndexed)} ${bitcoinItem(report)}
      ${chainItem(report, index.ticker)}
    </ol>
    ${
      shown?.status === 'corrected' &&
      html`<p>
        This is the trail of the correction.
        ${
          shown.proof_url === null
            ? 'The first final, on which money settles, waits for its stamp.'
            : html`The first final, on which money settles, has
                <a href="/v1${shown.proof_url.replace(/\?.*/, '')}">a proof of its own</a>.`
        }
      </p>`
    }`;
}

function readItem(
  { provider, role, outcome, value, read_at, snapshot }: Read,
  {
    report,
    kept,
    providers,
    format,
  }: {
    readonly report: ReportPayload;
    readonly kept: readonly KeptRead[];
    readonly providers: readonly Provider[];
    readonly format: string;
  },
): Html {
  const { decimals, withheld } = report.report;
  const name = providers.find(({ id }) => id === provider)?.name ?? provider;
  const answer =
    outcome === 'ok'
      ? withheld
        ? 'its number is withheld'
        : scaled(value, decimals, format)
      : FAILURES[outcome];
  const pages = kept.find((each) => each.snapshot === snapshot)?.manifest.pages;
  return html`<li>
    ${name}, ${ROLES[role]}: ${answer}. <span class="dim">${moment(read_at)}</span><br />
    ${
      snapshot === null
        ? html`<span class="dim">Nothing came back, so that nothing is kept.</span>`
        : html`<a href="/blob/${snapshot}">What was asked, and the hashes of the answer</a>${
            pages === undefined
              ? html`. <span class="dim">The terms of the source do not let its bytes be kept.</span>`
              : pages
                  .slice(0, LINKED)
                  .map(
                    ({ sha256, length }) =>
                      html` · <a href="/blob/${sha256}">the answer itself, ${grouped(String(length))} bytes</a>`,
                  )
          }${pages !== undefined && pages.length > LINKED && ` and ${pages.length - LINKED} more`}`
    }
  </li>`;
}

function reportItem({ report, hash, public_key }: ReportPayload, ticker: string): Html {
  return html`<li>
    <strong>The publisher signed a report of it</strong>, ${moment(report.published_at)}:
    <a href="/v1/indices/${ticker}/report?period=${report.period}"><code>${hash}</code></a><br />
    <span class="dim">Key</span> <code>${public_key}</code>
  </li>`;
}

function logItem({ report, hash, seq }: ReportPayload, isIndexed: boolean): Html {
  return html`<li>
    <strong>The log took it up</strong> as entry <a href="/log/${seq}">${seq}</a> of the log
    <code>${report.log}</code>, to which entries are only ever added.
    ${
      isIndexed
        ? html`<a href="/v1/index/${hash}">The proof that the index of its day has it</a>.`
        : 'The index of its day is written when the day has ended.'
    }
  </li>`;
}

function bitcoinItem({ proof, hash }: ReportPayload): Html {
  if (proof === null) {
    return html`<li>
      <strong>Bitcoin</strong> does not have it yet: the hash waits to be stamped.
    </li>`;
  }
  const links = html`<a href="/v1/proof/${hash}">The proof</a>, and as a file for OpenTimestamps:
    <a href="/v1${proof.proof_url}">.ots</a>.`;
  const { before, after } = proof;
  const since =
    after !== null &&
    html` It was written after block ${grouped(String(after.height))}, which the log named before.`;
  if (before === null) {
    return html`<li>
      <strong>It was stamped for Bitcoin</strong>, ${moment(proof.stamped_at)}, and waits for a
      block.${since} ${links}
    </li>`;
  }
  return html`<li>
    <strong>Bitcoin has it</strong> in block ${grouped(String(before.height))},
    ${moment(before.time)}: it existed before that block.${since}
    <code>${before.hash}</code><br />${links}
  </li>`;
}

function chainItem({ feed, report }: ReportPayload, ticker: string): Html {
  if (feed === null) {
    return html`<li>
      <strong>The account on chain</strong> does not have it: nothing of it is recorded on Solana.
    </li>`;
  }
  return html`<li>
    <strong>The account on chain has it</strong>, for programs that pay out, in slot
    ${grouped(String(feed.slot))} of <code>${feed.chain}</code>: account
    <code>${feed.account}</code>, page
    <code>${feed.page}</code>${
      feed.transaction !== null && html`, transaction <code>${feed.transaction}</code>`
    }.
    <a href="/v1/indices/${ticker}/report?period=${report.period}">The log's record of it</a> is
    part of the report's answer.
  </li>`;
}
