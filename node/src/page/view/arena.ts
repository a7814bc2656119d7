import { parseTime, type TimeText } from '@assay/core/time/time';
import type { Assets } from '../asset.ts';
import { count, span } from '../figure.ts';
import { grouped, moment, period, value } from '../format.ts';
import { type Html, html, live } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';

/** What the page reads of a round. */
interface Round {
  readonly id: string;
  readonly ticker: string;
  readonly slug: string;
  readonly name: string;
  readonly unit: string;
  readonly format: string;
  readonly decimals: number;
  readonly step: number;
  readonly period: string;
  readonly ref_period: string;
  readonly ref_value: number;
  readonly closes_at: TimeText;
  readonly opens_forecasts_at: TimeText;
  readonly state: 'open' | 'closed' | 'graded';
  readonly forecasts: number;
  readonly arena: { readonly value: number | null; readonly n: number } | null;
  readonly print: number | null;
  readonly void_reason: string | null;
  readonly house: readonly { readonly handle: string; readonly value: number }[];
  readonly url: string;
}

/** What the page reads of a standing. */
interface RankedHandle {
  readonly handle: string;
  readonly graded: number;
  readonly mean_points: number;
  readonly best_streak: number;
  readonly ranked: boolean;
  readonly skill: number;
  readonly secured_by: string;
}

/** What the page reads of `GET /arena`. */
export interface ArenaAnswer {
  readonly rules: {
    readonly points: string;
    readonly ranked_from: number;
    readonly arena_number: string;
    readonly caveats: string;
  };
  readonly open: readonly Round[];
  readonly recent: readonly Round[];
  readonly standings: readonly RankedHandle[];
}

/** `/arena`: what can be forecast, a form that seals a forecast in the browser, who forecasts well, and how points are made. */
export const ARENA_PAGE: Page = {
  path: '/arena',
  async make({ ask, now, publicUrl, assets }) {
    const { rules, open, recent, standings } = bodyOf(await ask<ArenaAnswer>('/v1/arena?limit=20'));
    return {
      title: 'Arena: forecast the next number',
      description: `${open.length} rounds are open. A forecast is sealed before it is sent, so that nobody can read it before the round closes.`,
      canonical: '/arena',
      body: html`<h1>Arena</h1>
        <p class="lead">
          Anybody forecasts the next number of an index under a public name, for points. Nothing
          here is official and nothing settles on it. Each forecast is in the log before its round
          closes, and nobody can leave one out, or change its points, without being found out.
        </p>
        <h2>Open rounds</h2>
        ${
          open.length === 0
            ? html`<p>No round takes forecasts now.</p>`
            : html`<div class="cards">${open.map((round) => card(round, now))}</div>`
        }
        ${open.length > 0 && forecastForm(open, assets)} ${byCommand(open[0], publicUrl)}
        <h2>Standings</h2>
        ${standingTable(standings, rules.ranked_from)}
        <h2>How points are made</h2>
        <p>Points: ${rules.points}.</p>
        <p>
          Points say how close a forecast came. The standings go by <strong>skill</strong>: the
          points above those of somebody who only repeats the last value, drawn towards 0 where
          there are few forecasts, so that luck does not count for much.
        </p>
        <p>${rules.arena_number}</p>
        <p>What sealing does not protect from: ${rules.caveats}</p>
        <h2>Rounds that have closed</h2>
        ${recentTable(recent)}`,
      scripts: open.length > 0 ? ['arena.js'] : [],
      follows: ['round', 'forecast', 'freeze', 'unseal', 'grade'],
      alternates: [{ type: 'application/json', href: '/v1/arena', title: 'The Arena as JSON' }],
    };
  },
};

const CADENCES: Readonly<Record<number, string>> = { 1: 'daily', 7: 'weekly', 30: 'monthly' };

function periodOf({ period: date, step }: Round): string {
  return period(date, CADENCES[step] ?? 'daily');
}

function figureOf(round: Round, number: number): string {
  const { format, unit, decimals } = round;
  const shown = value(number.toFixed(decimals), format);
  return format === 'percent' ? shown : `${shown} ${unit}`;
}

function card(round: Round, now: number): Html {
  const { id, ticker, slug, name, closes_at, ref_value, house } = round;
  const last = period(round.ref_period, CADENCES[round.step] ?? 'daily');
  return html`<article class="card">
    <h3><a href="/i/${slug}">${ticker}</a></h3>
    <p>${periodOf(round)}</p>
    <p class="state wait">${live(`${id}.left`, leftText(closes_at, now))}</p>
    <dl class="facts narrow">
      <dt>${last}</dt>
      <dd>${figureOf(round, ref_value)}</dd>
      ${house.map(
        (each) =>
          html`<dt>${each.handle}</dt>
            <dd>${figureOf(round, each.value)}</dd>`,
      )}
      <dt>Forecasters</dt>
      <dd>${live(`${id}.forecasts`, count(round.forecasts))}</dd>
    </dl>
    <p class="dim clamp">${name}</p>
  </article>`;
}

function leftText(closes: TimeText, now: number): string {
  const left = parseTime(closes) - now;
  return left > 0
    ? `Takes forecasts for ${span(left)} more, until ${moment(closes)}`
    : `Closed at ${moment(closes)}`;
}

/** What is there to seal with. The form is shown by its script, because nothing else could seal. */
function forecastForm(open: readonly Round[], assets: Assets): Html {
  return html`<h2>Make a forecast</h2>
    <p>
      A forecast is sealed in the browser before it is sent: nobody can read it, the service
      included, until the round has closed. A later forecast of the same name replaces it.
    </p>
    <noscript>
      <p class="state wait">Sealing needs JavaScript here, or the command below.</p>
    </noscript>
    <form id="forecast" action="/arena" data-seal="${assets.get('seal.js').path}" hidden>
      <label for="round">Round</label>
      <select id="round" name="round">
        ${open.map(
          (round) => html`<option value="${round.id}">${round.ticker}, ${periodOf(round)}</option>`,
        )}
      </select>
      <label for="value">Your forecast, as a plain number</label>
      <input id="value" name="value" required inputmode="decimal" autocomplete="off" maxlength="24" />
      <label for="name">The public name under which it stands: 3 to 24 letters, digits, _ and -</label>
      <input
        id="name"
        name="name"
        required
        minlength="3"
        maxlength="24"
        pattern="[A-Za-z0-9_\\-]+"
        autocomplete="off"
      />
      <label for="handle">If you have used this name before: the handle file that you kept</label>
      <input id="handle" name="handle" type="file" accept=".json,application/json" />
      <p><button id="send">Seal and send</button></p>
    </form>
    <p id="forecast-state" class="state" role="status"></p>
    <section id="forecast-result" aria-labelledby="forecast-kept" hidden>
      <h3 id="forecast-kept" tabindex="-1">Keep these two files</h3>
      <ul class="plain row" id="forecast-files"></ul>
    </section>
    <p>
      You get two files to keep, which are nowhere else: the page does not store them, and nor does
      the service. Without the <strong>handle file</strong>, which holds the secret of your name,
      nobody can forecast under that name again, and you cannot replace the forecast. Without the
      <strong>receipt</strong>, you cannot prove that the service took your forecast. The forecast
      itself counts either way. <code>assay forecast check</code> reads the receipt: it proves that
      the log has your forecast and, after the close, that the frozen round holds it.
    </p>
    <p class="dim">
      This page comes from the service that takes the forecast. It checks the signature of the
      receipt, and not that the round is the one in the log; the command proves that, too. That
      nobody else forecasts under your name rests on the word of the operator, unless you bring a
      key of your own, which the command makes.
    </p>`;
}

function byCommand(round: Round | undefined, publicUrl: string | null): Html | false {
  if (round === undefined) return false;
  const { id, ref_value, decimals } = round;
  const address = publicUrl ?? 'https://the-address-of-this-service';
  const commands = `assay forecast key ada.json
assay forecast make ${address} ${id} ${ref_value.toFixed(decimals)} \\
  --handle ada --key ada.json`;
  return html`<h3>From the command line</h3>
    <pre tabindex="0"><code>${commands}</code></pre>`;
}

const SECURED: Readonly<Record<string, string>> = {
  key: 'a key of its own',
  secret: 'the word of the operator',
  house: 'the operator forecasts, by a published formula',
};

function standingTable(standings: readonly RankedHandle[], ranked: number): Html {
  if (standings.length === 0) return html`<p>None yet: they come with the first graded round.</p>`;
  return html`<p class="dim">A name is ranked from ${ranked} graded forecasts on.</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Standings">
      <table class="tight">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="figure">Skill</th>
            <th scope="col" class="figure">Points on average</th>
            <th scope="col" class="figure">Graded</th>
            <th scope="col" class="figure">Best streak</th>
            <th scope="col">Secured by</th>
          </tr>
        </thead>
        <tbody>
          ${standings.map(
            (each) =>
              html`<tr>
                <td>${each.handle}${!each.ranked && html` <span class="dim">not ranked</span>`}</td>
                <td class="figure">${grouped(each.skill.toFixed(2))}</td>
                <td class="figure">${each.mean_points.toFixed(2)}</td>
                <td class="figure">${each.graded}</td>
                <td class="figure">${each.best_streak}</td>
                <td>${SECURED[each.secured_by] ?? each.secured_by}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function recentTable(rounds: readonly Round[]): Html {
  if (rounds.length === 0) return html`<p>No round has closed yet.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Rounds that have closed">
    <table class="tight">
      <thead>
        <tr>
          <th scope="col">Index</th>
          <th scope="col">Period</th>
          <th scope="col">First print</th>
          <th scope="col">Arena number, not official</th>
          <th scope="col" class="figure">Forecasters</th>
          <th scope="col">Record</th>
        </tr>
      </thead>
      <tbody>
        ${rounds.map(
          (round) =>
            html`<tr>
              <td><a href="/i/${round.slug}">${round.ticker}</a></td>
              <td>${periodOf(round)}</td>
              <td>${live(`${round.id}.print`, printText(round))}</td>
              <td>${live(`${round.id}.arena`, arenaText(round))}</td>
              <td class="figure">${count(round.forecasts)}</td>
              <td><a href="${round.url}">JSON</a></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function printText(round: Round): string {
  if (round.void_reason !== null) return `void: ${round.void_reason.replaceAll('_', ' ')}`;
  return round.print === null ? 'not graded yet' : figureOf(round, round.print);
}

function arenaText(round: Round): string {
  const { arena } = round;
  if (arena === null) return '—';
  if (arena.value === null) return 'nobody counts in it';
  return `${figureOf(round, arena.value)}, of ${arena.n}`;
}
