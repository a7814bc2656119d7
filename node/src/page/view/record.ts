import { briefDuration, moment, period as named, day } from '../format.ts';
import { type Html, html } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';
import type {
  DayRecord,
  IndexRecord,
  PrintRecord,
  PublisherRecord,
} from '../record/publisher-record.ts';
import { RECORD_PATH } from '../record/record-route.ts';
import type { Spread } from '../record/spread.ts';

/** `/record`: how punctual and how right the publisher has been, from the log alone. */
export const RECORD_PAGE: Page = {
  path: '/record',
  async make({ ask }) {
    const record = bodyOf(await ask<PublisherRecord>(RECORD_PATH));
    const { all, indices, as_of } = record;
    const overdue = indices.reduce((sum, each) => sum + each.overdue.length, 0);
    return {
      title: 'The record of this publisher',
      description: `How punctual and how right this publisher has been over ${all.printed} printed periods, computed from the log alone.`,
      canonical: '/record',
      body: html`<h1>How punctual, and how right</h1>
        <p class="lead">
          What this publisher has printed, how late it was, and what it had to correct. All of it
          follows from the log, which nobody can change afterwards.
        </p>
        ${
          as_of === null
            ? html`<p>The log names no time yet, so that nothing can be judged.</p>`
            : html`<p class="dim">
                As of ${moment(as_of)}, the newest time in the log. A publisher that has stopped
                writes nothing, and the log cannot say so: <a href="/status">the status</a> does.
              </p>`
        }
        ${cards(record, overdue)} ${latenessPart(record)} ${rightPart(record)} ${proofPart(record)}
        ${dailyPart(record)}
        <h2>The numbers behind it</h2>
        <p>
          <a href="${RECORD_PATH}">Every figure of this page as JSON</a>. What it is computed from:
          the entries of <a href="/log">the log</a>, of each index the
          <a href="/docs">report and the recount</a> of each period, and
          <a href="/v1/anchors">the batches</a> that Bitcoin holds.
        </p>`,
      alternates: [{ type: 'application/json', href: RECORD_PATH, title: 'The record as JSON' }],
    };
  },
};

function cards({ all, closes, index_entries }: PublisherRecord, overdue: number): Html {
  const missing = (closes?.missing.length ?? 0) + (index_entries?.missing.length ?? 0);
  return html`<div class="cards">
    ${card('Periods printed', String(all.printed), `${all.finals} final, ${all.open} open, ${all.voids} void`)}
    ${card('Late finals', String(all.late_final), `of ${all.finals}: more than an hour behind their time`)}
    ${card('Corrections', String(all.corrections), `of ${all.corrected} periods`)}
    ${card('Never came', String(overdue + missing), `${overdue} overdue periods, ${missing} missing daily entries`)}
  </div>`;
}

function card(name: string, number: string, words: string): Html {
  return html`<article class="card">
    <h2>${name}</h2>
    <p class="number">${number}</p>
    <p class="unit">${words}</p>
  </article>`;
}

/** A row of a table: what it is of, and its cells. */
type Row = readonly [name: Html | string, ...cells: readonly string[]];

function table(label: string, heads: readonly string[], rows: readonly Row[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${heads.map((each, at) => html`<th scope="col"${at > 0 && html` class="figure"`}>${each}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, ...cells]) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cells.map((each) => html`<td class="figure">${each}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A row for each index and one for all together. */
function rowsOf(
  { indices, all }: PublisherRecord,
  cells: (of: PrintRecord) => readonly string[],
): readonly Row[] {
  return [
    ...indices.map((each): Row => [
      html`<a href="/i/${each.slug}">${each.ticker}</a>`,
      ...cells(each),
    ]),
    ['All', ...cells(all)],
  ];
}

function spreadCells(spread: Spread | null): readonly string[] {
  if (spread === null) return ['—', '—', '—'];
  return [
    briefDuration(spread.median_s),
    briefDuration(spread.p95_s),
    briefDuration(spread.worst_s),
  ];
}

const SPREAD_HEADS = ['Half within', '95 % within', 'Longest'] as const;

function latenessPart(record: PublisherRecord): Html {
  return html`<h2>How late first prints were</h2>
    <p>
      From the scheduled release of a period, by the rule that governs it, to its first report,
      provisional or final. Void periods are left out: a void is written at the deadline.
    </p>
    ${table(
      'First prints',
      ['Index', 'Periods', ...SPREAD_HEADS, 'Over an hour late'],
      rowsOf(record, ({ first, late_first }) => [
        String(first?.count ?? 0),
        ...spreadCells(first),
        String(late_first),
      ]),
    )}
    <h2>How late finals were</h2>
    <p>
      From the time at which the rule lets a number become final, to the first final. Money settles
      on the first final and on nothing else.
    </p>
    ${table(
      'Finals',
      ['Index', 'Finals', ...SPREAD_HEADS, 'Over an hour late'],
      rowsOf(record, ({ final, finals, late_final }) => [
        String(finals),
        ...spreadCells(final),
        String(late_final),
      ]),
    )}`;
}

function rightPart(record: PublisherRecord): Html {
  const overdue = record.indices.filter((each) => each.overdue.length > 0);
  return html`<h2>What was corrected, void, or never came</h2>
    <p>
      A correction says that a final was wrong; it changes nothing that was settled. A period is void
      where its sources gave no number by the deadline. It is overdue where the deadline has passed
      and there is neither a final nor a void, among the newest 400 periods of an index.
    </p>
    ${table(
      'Corrections, voids and overdue periods',
      ['Index', 'Printed', 'Corrections', 'Corrected periods', 'Void', 'Overdue'],
      [
        ...record.indices.map((each): Row => [
          html`<a href="/i/${each.slug}">${each.ticker}</a>`,
          ...rightCells(each, each.overdue.length),
        ]),
        [
          'All',
          ...rightCells(
            record.all,
            overdue.reduce((sum, each) => sum + each.overdue.length, 0),
          ),
        ],
      ],
    )}
    ${overdue.map(overdueLine)}`;
}

function rightCells(of: PrintRecord, overdue: number): readonly string[] {
  return [of.printed, of.corrections, of.corrected, of.voids, overdue].map(String);
}

/** Overdue periods that are named one by one. */
const NAMED = 20;

function overdueLine({ ticker, cadence, overdue }: IndexRecord): Html {
  const rest = overdue.length - NAMED;
  return html`<p class="bad">
    ${ticker} is overdue for
    ${overdue
      .slice(0, NAMED)
      .map((each) => named(each, cadence))
      .join('; ')}${rest > 0 && ` and ${rest} more`}.
  </p>`;
}

function proofPart(record: PublisherRecord): Html {
  return html`<h2>How soon others had signed it</h2>
    <p>
      From the first final to the signature that completed its quorum of recounters, of the finals
      on which money waits for one. The times are those of the log's entries.
    </p>
    ${table(
      'Time to the quorum',
      ['Index', 'With a quorum', ...SPREAD_HEADS, 'Still waiting'],
      rowsOf(record, ({ quorum, quorum_waiting }) => [
        String(quorum?.count ?? 0),
        ...spreadCells(quorum),
        String(quorum_waiting),
      ]),
    )}
    <h2>How soon Bitcoin had it</h2>
    <p>
      From the first final to the time of the block that holds its hash. Miners write that time, and
      it may be wrong by two hours, also to the early side.
    </p>
    ${table(
      'Time to a Bitcoin block',
      ['Index', 'In a block', ...SPREAD_HEADS, 'Still waiting'],
      rowsOf(record, ({ block, block_waiting }) => [
        String(block?.count ?? 0),
        ...spreadCells(block),
        String(block_waiting),
      ]),
    )}`;
}

function dailyPart({ closes, index_entries }: PublisherRecord): Html {
  return html`<h2>What is due every day</h2>
    <p>
      After each day the publisher writes a Close, which freezes the settlement files of the day, and
      an index entry, from which a missing number can be proven. The time runs from the end of the
      day in UTC to the entry.
    </p>
    ${table(
      'Daily entries',
      ['Entry', 'Days', ...SPREAD_HEADS, 'Over an hour late', 'Missing'],
      [dayRow('Closes', closes), dayRow('Index entries', index_entries)],
    )}
    ${missingLine('Closes', closes)} ${missingLine('Index entries', index_entries)}`;
}

function dayRow(name: string, of: DayRecord | null): Row {
  if (of === null) return [name, '0', '—', '—', '—', '—', '—'];
  const { days, after, late, missing } = of;
  return [name, String(days), ...spreadCells(after), String(late), String(missing.length)];
}

function missingLine(name: string, of: DayRecord | null): Html | false {
  if (of === null || of.missing.length === 0) return false;
  const rest = of.missing.length - NAMED;
  return html`<p class="bad">
    ${name} are missing of ${of.missing.slice(0, NAMED).map(day).join('; ')}${rest > 0 && ` and ${rest} more days`}.
  </p>`;
}
