import type { CalibrationRow } from '@assay/core/referee/calibration';
import type { QuestionPayload } from '@assay/core/answer/referee/question';
import type { QuestionListPayload, ScoresPayload } from '@assay/core/answer/referee/questions';
import type { NullName } from '@assay/core/referee/brier';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { count, fraction, share, span } from '../figure.ts';
import { day, grouped, moment } from '../format.ts';
import { type Html, html, live } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';

/** How many questions stand on one page. */
const LIMIT = 20;

/** What the forecasts that need no knowledge of an event are called. */
const NULLS: Readonly<Record<NullName, string>> = {
  persistence: 'always yes (it stays high)',
  always_under: 'always no (it falls)',
  climatology: 'the share of yes so far',
};

/** `/referee`: questions about events, who answered how, and how good the answers were. */
export const REFEREE_PAGE: Page = {
  path: '/referee',
  async make({ ask, query, now, publicUrl }) {
    const cursor = query.get('cursor') ?? '';
    const asked = new URLSearchParams({ limit: String(LIMIT), state: 'all' });
    if (cursor !== '') asked.set('cursor', cursor);
    const list = bodyOf(await ask<QuestionListPayload>(`/v1/questions?${asked.toString()}`));
    const pending = bodyOf(
      await ask<QuestionListPayload>(`/v1/questions?limit=${LIMIT}&state=open`),
    ).questions;
    const { scores, calibration, next_cursor: next } = list;
    const open = pending.filter(({ state }) => state === 'open');
    return {
      title: 'Referee: questions on events',
      description: `Will an asset’s activity still be high a day after an event opened? ${scores.resolved} questions are resolved, each graded beside forecasts that need no knowledge.`,
      canonical: '/referee',
      body: html`<h1>Referee</h1>
        <p class="lead">
          Each event of a crypto asset asks one question: will its
          <a href="/board">Activity score</a> still be high a day later? The service answers first,
          anybody may answer for four hours, and all answers are graded beside forecasts that need
          no knowledge at all.
        </p>
        ${
          cursor === '' &&
          html`<h2>Open questions</h2>
            ${
              open.length === 0
                ? html`<p>No question takes answers now. One comes with each event.</p>`
                : html`<div class="cards">${open.map((each) => card(each, now))}</div>
                    ${howToAnswer(open[0], publicUrl)}`
            }
            <h2>How good the answers were</h2>
            ${scoreTable(scores)} ${calibrationTable(calibration)}`
        }
        <h2>${cursor === '' ? 'All questions' : 'Earlier questions'}</h2>
        ${list.questions.length === 0 ? html`<p>No question has been asked${cursor === '' ? ' yet' : ' before'}.</p>` : questionTable(list.questions)}
        <nav class="pager" aria-label="More questions">
          ${cursor !== '' && html`<a href="/referee">Newest questions</a>`}
          ${next !== null && html`<a href="/referee?${new URLSearchParams({ cursor: next }).toString()}" rel="next">Earlier questions</a>`}
        </nav>`,
      follows: ['question', 'answers', 'outcome'],
      alternates: [
        {
          type: 'application/json',
          href: `/v1/questions?${asked.toString()}`,
          title: 'Questions as JSON',
        },
      ],
    };
  },
};

function card(question: QuestionPayload, now: number): Html {
  const { id, symbol, question: text, closes_at, service, nulls } = question;
  return html`<article class="card">
    <h3><a href="/a/${symbol}">${symbol}</a></h3>
    <p>${text}</p>
    <p class="state wait">${live(`${id}.left`, leftText(closes_at, now))}</p>
    <dl class="facts narrow">
      <dt>The service says</dt>
      <dd>${service.p} % yes</dd>
      <dt>Yes so far</dt>
      <dd>${nulls.climatology} %</dd>
      <dt>Answers</dt>
      <dd>${live(`${id}.answers`, count(question.answers))}</dd>
    </dl>
    <p class="dim">${basisText(service)}</p>
  </article>`;
}

function leftText(closes: string, now: number): string {
  const left = parseTime(closes as TimeText) - now;
  return left > 0
    ? `Takes answers for ${span(left)} more, until ${moment(closes)}`
    : `Closed at ${moment(closes)}; its answers are about to be opened`;
}

function basisText({ basis, yes, of }: QuestionPayload['service']): string {
  if (basis === 'none') return 'The service knows of no earlier outcome, and answers 50 %.';
  const which =
    basis === 'group' ? 'earlier questions on moves like this one' : 'earlier questions';
  return `${yes} of ${of} ${which} came out yes: that share is its answer.`;
}

function howToAnswer(
  question: QuestionPayload | undefined,
  publicUrl: string | null,
): Html | false {
  if (question === undefined) return false;
  const command = `curl -s ${publicUrl ?? ''}/v1/questions/${question.id}/answer \\
  -H 'content-type: application/json' \\
  -d "{\\"answer\\":\\"yes\\",\\"nonce\\":\\"$(openssl rand -hex 32)\\"}"`;
  return html`<details>
    <summary>How to answer</summary>
    <p>
      An answer is <code>yes</code> or <code>no</code>, with 32 random bytes of your own. Keep the
      receipt that comes back: it proves that the service took your answer. The first answer counts.
    </p>
    <pre tabindex="0"><code>${command}</code></pre>
  </details>`;
}

function scoreTable({ resolved, void: voided, service, nulls, skill, crowd }: ScoresPayload): Html {
  if (service === null || nulls === null) {
    return html`<p>No question is resolved yet, so that nothing can be graded.</p>`;
  }
  const names = Object.keys(NULLS) as readonly NullName[];
  return html`<p>
      ${grouped(String(resolved))} questions came out yes or no${voided > 0 && `, and ${grouped(String(voided))} were void, because no reading decided them`}.
      The Brier score is the squared distance between an answer and the outcome: 0 is perfect, 0.25
      is what 50 % always gets, and 1 is sure and wrong.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Scores">
      <table class="tight">
        <thead>
          <tr>
            <th scope="col">Forecast</th>
            <th scope="col" class="figure">Mean Brier score</th>
            <th scope="col" class="figure">Skill of the service against it</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>The service</td>
            <td class="figure">${live('service', fraction(service))}</td>
            <td class="figure">—</td>
          </tr>
          ${names.map(
            (name) =>
              html`<tr>
                <td>${NULLS[name]}</td>
                <td class="figure">${live(`${name}.mean`, fraction(nulls[name]))}</td>
                <td class="figure">${live(`${name}.skill`, skillText(skill?.[name]))}</td>
              </tr>`,
          )}
          ${
            crowd !== null &&
            html`<tr>
              <td>Those who answered, on ${crowd.n} questions</td>
              <td class="figure">${crowd.mean}</td>
              <td class="figure">—</td>
            </tr>`
          }
        </tbody>
      </table>
    </div>
    <p class="dim">
      Skill above 0 says that the service was better than that forecast, and below 0 that it was
      worse.
    </p>`;
}

function skillText(skill: string | null | undefined): string {
  return skill === null || skill === undefined ? '—' : grouped(skill);
}

function calibrationTable(rows: readonly CalibrationRow[]): Html | false {
  const known = rows.filter(({ n }) => n > 0);
  if (known.length === 0) return false;
  return html`<details>
    <summary>Calibration: of the questions that got an answer near 70 %, did 70 % come out yes?</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Calibration">
      <table class="tight">
        <thead>
          <tr>
            <th scope="col">Answer of the service</th>
            <th scope="col" class="figure">Questions</th>
            <th scope="col" class="figure">Mean answer</th>
            <th scope="col" class="figure">Came out yes</th>
            <th scope="col" class="figure">95 % interval</th>
          </tr>
        </thead>
        <tbody>
          ${known.map(
            ({ from, to, n, mean_p: mean, yes_share: yes, wilson }) =>
              html`<tr>
                <td>${from} to ${to} %</td>
                <td class="figure">${n}</td>
                <td class="figure">${mean ?? '—'} %</td>
                <td class="figure">${percentOf(yes)}</td>
                <td class="figure">
                  ${wilson === null ? '—' : `${percentOf(wilson.low)} to ${percentOf(wilson.high)}`}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}

function percentOf(decimal: string | null): string {
  return share(decimal === null ? null : Number(decimal));
}

function questionTable(questions: readonly QuestionPayload[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Questions">
    <table class="tight">
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col" class="figure">The service said</th>
          <th scope="col">Others said</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="figure">Brier score</th>
          <th scope="col">Record</th>
        </tr>
      </thead>
      <tbody>
        ${questions.map(row)}
      </tbody>
    </table>
  </div>`;
}

function row(question: QuestionPayload): Html {
  const { id, symbol, opened_at, threshold, service, scores } = question;
  return html`<tr>
    <td>
      <a href="/a/${symbol}">${symbol}</a><br /><span class="dim">${day(opened_at)}, ${threshold} or more?</span>
    </td>
    <td class="figure">${service.p} %</td>
    <td>${live(`${id}.crowd`, crowdText(question))}</td>
    <td>${live(`${id}.outcome`, outcomeText(question))}</td>
    <td class="figure">${live(`${id}.brier`, fraction(scores?.service ?? null))}</td>
    <td><a href="/v1/questions/${id}">proofs</a></td>
  </tr>`;
}

function crowdText({ crowd, answers }: QuestionPayload): string {
  if (crowd === null)
    return answers === 0
      ? 'nobody yet'
      : `${answers} answers, which are not shown before it closes`;
  return crowd.count === 0 ? 'nobody' : `${crowd.yes} yes, ${crowd.no} no`;
}

function outcomeText(question: QuestionPayload): string {
  const { outcome, score, void: isVoid, state, closes_at, resolves_at } = question;
  if (isVoid) return 'void: no reading decided it';
  if (outcome !== null) return score === null ? outcome : `${outcome}, the score was ${score}`;
  return state === 'open' ? `open until ${moment(closes_at)}` : `due ${moment(resolves_at)}`;
}
