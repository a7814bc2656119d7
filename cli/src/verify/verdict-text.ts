import { isReplay } from '@assay/core/network';
import { isDemand } from '@assay/verifier/verdict/finding';
import { promiseText } from '@assay/verifier/bitcoin/pending';
import { printable } from '@assay/verifier/verdict/printable';
import { RESERVATION_CLASSES, type ReservationCounts } from '@assay/verifier/verdict/reservation';
import type {
  BitcoinFacts,
  NumberFacts,
  Verdict,
  WitnessFacts,
} from '@assay/verifier/verdict/verdict';
import {
  bitcoinText,
  blockReservation,
  headersText,
  uncoveredText,
  windowText,
} from './bitcoin-text.ts';
import { indexReservations, indexText, ruleReservations } from './completeness-text.ts';
import { quorumReservations, quorumRows } from './quorum-text.ts';
import { onchainRows } from './onchain-text.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { terminalText } from './terminal-text.ts';
import { count, INDENT, textRows, TIE, wrap } from '../text/text-rows.ts';
import { withUnit } from '../text/unit-text.ts';

/** How many findings are shown, at most half of them about demands that were not met. `--json` has them all. */
const SHOWN = 20;
/** How many lines are shown for each class of what was not checked. */
const SHOWN_OF_CLASS = 10;

const TRUST_WORDS = {
  policy: 'the key or the log id that you named',
  pinned: 'the key and the history that were pinned on an earlier visit',
  first_use: 'first use: nobody has vouched for this key.',
} as const;

/** A bundle contains one head and cannot show whether it continues the pinned one. */
const PINNED_KEY = 'the key that was pinned on an earlier visit; not the history pinned with it';

/** For a log whose key everybody has. */
const REPLAYED =
  'none: every replay has this name and this key, which anybody may sign with. Whoever has the files: assay receipts check';

const HOW_TO_TRUST = 'A key from the publisher itself, given with --key, holds the log to it.';

/**
 * A verdict as text, at most `terminal.columns` wide unless a word is longer. `pinned` says whether this visit
 * has left a pin. Nothing in it moves the cursor or begins a line of its own, whatever the log contains.
 */
export function verdictText(
  verdict: Verdict,
  terminal: Terminal,
  pinned: boolean,
): readonly string[] {
  return [
    ...headline(verdict, terminal),
    ...(verdict.outcome === 'incomplete' ? indented(verdict.reason, '', terminal) : []),
    ...(verdict.outcome === 'findings' ? findingLines(verdict, terminal) : []),
    ...(verdict.outcome === 'verified' && verdict.number !== null
      ? [...numberRows(verdict.number, verdict.subject, terminal), '']
      : []),
    ...logRows(verdict, terminal, pinned),
    ...statementRows(verdict, terminal),
    ...tickRows(verdict, terminal),
    ...bitcoinRows(verdict, terminal),
    ...chainRows(verdict, terminal),
    ...textRows('checked', checkedText(verdict), terminal),
    ...notCheckedRows(verdict, terminal),
  ];
}

/** The answer, and what must be known together with it, on further lines if it does not fit on one. */
function headline(verdict: Verdict, terminal: Terminal): readonly string[] {
  switch (verdict.outcome) {
    case 'verified': {
      const whose = verdict.words === null ? '' : ": a co-signer's own log";
      const word = `VERIFIED${whose}`;
      const beside = reservations(verdict);
      if (beside.length === 0) return [paint(terminal, 'green', word)];
      const tied = beside.map((each) => each.replaceAll(' ', TIE)).join(', ');
      const [first = '', ...rest] = wrap(
        `${word.replaceAll(' ', TIE)}, ${tied}`,
        terminal.columns - INDENT.length,
      );
      const green = paint(terminal, 'green', first.slice(0, word.length));
      return [
        `${green}${paintRest(first.slice(word.length), terminal)}`,
        ...rest.map((line) => `${INDENT}${paint(terminal, 'yellow', line)}`),
      ];
    }
    case 'findings':
      return [paint(terminal, 'red', `NOT VERIFIED: ${count(verdict.findings_count, 'finding')}`)];
    case 'incomplete':
      return [paint(terminal, 'yellow', 'NOT COMPLETED: this is no result about the log')];
  }
}

/** What follows the answer on its line: a comma, and the first reservations if they fit. */
function paintRest(text: string, terminal: Terminal): string {
  const [, comma = '', words = ''] = /^(, ?)(.*)$/.exec(text) ?? [];
  return words === '' ? comma.trimEnd() : `${comma}${paint(terminal, 'yellow', words)}`;
}

/** What a reader of only the first line must know; nothing for a number that settles with a known key. */
function reservations({
  subject,
  trust,
  number,
  bitcoin,
  reservations: counts,
}: Extract<Verdict, { readonly outcome: 'verified' }>): readonly string[] {
  const lines = trust === 'first_use' ? ['with a key that nobody has vouched for'] : [];
  if (number?.status === 'provisional') lines.push('provisional: it does not settle');
  else if (number?.status === 'void') lines.push('void: there is no value');
  else if (number?.settleable === false) lines.push(`${number.status}: it does not settle`);
  if (number !== null)
    lines.push(
      ...quorumReservations(number),
      ...indexReservations(number),
      ...ruleReservations(number),
    );
  lines.push(...countText(counts));
  if (subject === 'bundle' && bitcoin !== null) {
    const block = blockReservation(bitcoin);
    if (block !== undefined) lines.push(block);
  }
  return lines;
}

/** What is missing in a whole log that a settlement depends on. */
function countText(counts: ReservationCounts): readonly string[] {
  const words: readonly (readonly [number, string])[] = [
    [
      counts.finals_without_quorum,
      `${count(counts.finals_without_quorum, 'final')} without quorum`,
    ],
    [counts.open_periods, `${count(counts.open_periods, 'period')} open`],
    [counts.missing_closes, `${count(counts.missing_closes, 'day')} without a Close`],
    [counts.missing_indexes, `${count(counts.missing_indexes, 'day')} without an index entry`],
    [counts.unseen_ranges, 'more periods than were gone through'],
    [counts.lost_ranges, `${count(counts.lost_ranges, 'range')} of entries lost`],
    [counts.stale_days, `newest entry ${count(counts.stale_days, 'day')} old`],
    [counts.moved_releases, `${count(counts.moved_releases, 'release')} moved`],
    [counts.late_publications, count(counts.late_publications, 'late publication')],
    [counts.newer_feeds, `${count(counts.newer_feeds, 'newer feed')} on chain`],
  ];
  return words.flatMap(([n, text]) => (n === 0 ? [] : [text]));
}

function findingLines(
  verdict: Extract<Verdict, { readonly outcome: 'findings' }>,
  terminal: Terminal,
): readonly string[] {
  const lines: string[] = [];
  const demands = verdict.findings.filter(isDemand).slice(0, SHOWN / 2);
  const others = verdict.findings.filter((each) => !isDemand(each));
  const shown = [...demands, ...others.slice(0, SHOWN - demands.length)];
  for (const { code, place, expected, found } of shown) {
    lines.push('', `${INDENT}${paint(terminal, 'bold', code)}  ${printable(place)}`);
    lines.push(...indented(expected, '  expected  ', terminal));
    lines.push(...indented(found, '  found     ', terminal));
  }
  const rest = verdict.findings_count - shown.length;
  if (rest > 0) lines.push('', `${INDENT}and ${rest} more (--json lists them)`);
  return [...lines, ''];
}

function numberRows(
  number: NumberFacts,
  subject: Verdict['subject'],
  terminal: Terminal,
): readonly string[] {
  const { ticker, period, status, reason, value, unit, settleable } = number;
  const shown = value === null ? 'no value' : withUnit(value, unit);
  const settles = settleable ? 'settleable by its rule' : 'not settleable';
  return [
    ...textRows('number', `${ticker} ${period}: ${shown}`, terminal),
    ...textRows(
      'status',
      `${reason === null ? status : `${status} (${reason})`}, ${settles}`,
      terminal,
    ),
    ...textRows('published', number.published_at, terminal),
    ...textRows('report', number.report_hash, terminal),
    ...textRows('rule', number.rule_hash, terminal),
    ...quorumRows(number, terminal),
    ...(subject === 'bundle' ? textRows('index', indexText(number), terminal) : []),
  ];
}

function logRows(verdict: Verdict, terminal: Terminal, pinned: boolean): readonly string[] {
  if (verdict.outcome === 'incomplete' || verdict.log === null) return [];
  const { origin, network, size, root, checkpoint_vkey: vkey } = verdict.log;
  const lines = [
    ...textRows('log', `${origin}, ${count(size, 'entry', 'entries')}`, terminal),
    ...textRows('root', root, terminal),
    ...textRows('key', vkey, terminal),
  ];
  if (verdict.trust === 'first_use' && isReplay(origin)) {
    lines.push(...textRows('trust', REPLAYED, terminal, 'yellow'));
  } else if (verdict.trust === 'first_use') {
    const after = pinned ? ' It is pinned now, and the next visit is compared with it.' : '';
    const words = `${TRUST_WORDS.first_use}${after} ${HOW_TO_TRUST}`;
    lines.push(...textRows('trust', words, terminal, 'yellow'));
  } else if (verdict.trust !== null) {
    const held = verdict.subject === 'bundle' && verdict.trust === 'pinned';
    const words = held ? PINNED_KEY : TRUST_WORDS[verdict.trust];
    lines.push(...textRows('trust', words, terminal));
  }
  lines.push(...witnessRows(verdict.witnesses, terminal));
  if (network === 'development') {
    lines.push(
      ...textRows('network', 'development: nothing here may be settled on', terminal, 'yellow'),
    );
  }
  return [...lines, ''];
}

/** Who of the policy's witnesses has seen the checkpoint; nothing if it lists none. */
function witnessRows(facts: WitnessFacts | null, terminal: Terminal): readonly string[] {
  if (facts === null || (facts.required === 0 && facts.witnesses.length === 0)) return [];
  const { required, witnesses } = facts;
  const seen = witnesses.map(({ operator, name, time }) => `${operator} (${name}) at ${time}`);
  const asked = required === 0 ? 'none required' : `${required} required`;
  const by = `cosigned by ${count(witnesses.length, 'operator')}, ${asked}`;
  const words = seen.length === 0 ? by : `${by}: ${seen.join(', ')}`;
  return textRows('witnesses', words, terminal, witnesses.length < required ? 'yellow' : undefined);
}

/** What a co-signer states in its own log. */
function statementRows(verdict: Verdict, terminal: Terminal): readonly string[] {
  if (verdict.outcome === 'incomplete' || verdict.words === null) return [];
  const { cosigner, logs, agreements, dissents, abstentions, newest } = verdict.words;
  const said = [
    count(agreements, 'agreement'),
    count(dissents, 'dissent'),
    count(abstentions, 'abstention'),
  ].join(', ');
  return [
    ...textRows('words', `${said}; the newest at ${newest}`, terminal),
    ...textRows('co-signer', cosigner, terminal),
    ...logs.flatMap((log, i) => textRows(i === 0 ? 'about log' : '', log, terminal)),
    '',
  ];
}

/** The ticks of each class in the log. */
function tickRows(verdict: Verdict, terminal: Terminal): readonly string[] {
  if (verdict.outcome === 'incomplete' || verdict.terminal.length === 0) return [];
  const rows = verdict.terminal.map((facts) => terminalText(facts));
  const lines = rows.flatMap(({ words, plain }, i) =>
    textRows(i === 0 ? 'ticks' : '', words, terminal, plain ? undefined : 'yellow'),
  );
  return [...lines, ''];
}

function bitcoinRows(verdict: Verdict, terminal: Terminal): readonly string[] {
  if (verdict.outcome === 'incomplete' || verdict.bitcoin === null) return [];
  const { bitcoin } = verdict;
  const lines: string[] = [];
  const { words, proven } = bitcoinText(bitcoin, verdict.subject);
  if (words !== '')
    lines.push(...textRows('bitcoin', words, terminal, proven ? undefined : 'yellow'));
  for (const [name, said] of [
    ['headers', headersText(bitcoin)],
    ['unstamped', uncoveredText(bitcoin)],
  ] as const) {
    if (said === undefined) continue;
    lines.push(...textRows(name, said.words, terminal, said.proven ? undefined : 'yellow'));
  }
  for (const [i, text] of pendingText(bitcoin).entries()) {
    lines.push(...textRows(i === 0 ? 'pending' : '', text, terminal, 'yellow'));
  }
  for (const window of bitcoin.windows) {
    for (const [i, text] of windowText(window, bitcoin).entries()) {
      lines.push(
        ...textRows(i === 0 ? 'window' : '', text, terminal, undefined, i === 0 ? '' : '  '),
      );
    }
  }
  return lines.length === 0 ? [] : [...lines, ''];
}

function chainRows(verdict: Verdict, terminal: Terminal): readonly string[] {
  if (verdict.outcome === 'incomplete' || verdict.onchain === null) return [];
  const lines = onchainRows(verdict.onchain).flatMap(({ name, words, plain }) =>
    textRows(name, words, terminal, plain ? undefined : 'yellow'),
  );
  return [...lines, ''];
}

function pendingText(facts: BitcoinFacts): readonly string[] {
  const { pending, pending_count: all, network } = facts;
  const chain = network === 'bitcoin' ? 'Bitcoin' : 'development';
  const words = pending.map(
    ({ from, to, since, calendars }) =>
      `entries ${from} to ${to - 1}, said to be stamped ${since}: not in a ${chain} block yet; ` +
      promiseText(calendars),
  );
  return all > pending.length ? [...words, `and ${all - pending.length} more`] : words;
}

function checkedText({ checked }: Verdict): string {
  const parts: readonly (readonly [number, string])[] = [
    [checked.entries, count(checked.entries, 'entry', 'entries')],
    [checked.tiles, count(checked.tiles, 'tile')],
    [checked.rules, count(checked.rules, 'rule')],
    [checked.reports, count(checked.reports, 'report')],
    [checked.signatures, count(checked.signatures, 'signature')],
    [checked.reads_reexecuted, `${count(checked.reads_reexecuted, 'read')} run again`],
    [checked.revisions, count(checked.revisions, 'revision')],
    [checked.closes, count(checked.closes, 'Close')],
    [checked.indexes, count(checked.indexes, 'index entry', 'index entries')],
    [checked.anchors, `${count(checked.anchors, 'issue')} of batches`],
    [checked.beacons, count(checked.beacons, 'beacon')],
    [checked.proofs, count(checked.proofs, 'proof')],
    [checked.cosignatures, count(checked.cosignatures, 'co-signature')],
    [checked.dissents, count(checked.dissents, 'dissent')],
    [checked.statements, count(checked.statements, 'word')],
    [checked.ticks, count(checked.ticks, 'tick')],
    [checked.events, count(checked.events, 'event')],
    [checked.receipts, count(checked.receipts, 'receipt')],
    [checked.benchmarks, count(checked.benchmarks, 'benchmark')],
    [checked.studies, count(checked.studies, 'study', 'studies')],
    [checked.questions, count(checked.questions, 'question')],
    [checked.answers, count(checked.answers, 'answer')],
    [checked.outcomes, count(checked.outcomes, 'outcome')],
    [checked.rounds, count(checked.rounds, 'round')],
    [checked.forecasts, count(checked.forecasts, 'forecast')],
    [checked.openings, `${count(checked.openings, 'forecast')} opened`],
    [checked.grades, count(checked.grades, 'grade')],
    [checked.prints, `${count(checked.prints, 'entry', 'entries')} of what is on chain`],
    [checked.accounts, count(checked.accounts, 'account')],
    [checked.blobs, count(checked.blobs, 'blob')],
    [checked.api_answers, count(checked.api_answers, 'API answer')],
    [checked.view_rows, count(checked.view_rows, 'view row')],
  ];
  const words = parts.flatMap(([n, text]) => (n === 0 ? [] : [text.replaceAll(' ', TIE)]));
  return words.length === 0 ? 'nothing' : words.join(', ');
}

/**
 * What was not checked or is left open, class by class, with the classes that a settlement depends on first.
 */
function notCheckedRows({ not_checked: items }: Verdict, terminal: Terminal): readonly string[] {
  if (items.length === 0) return [];
  const rows = RESERVATION_CLASSES.flatMap((cls) => {
    const own = items.filter((each) => each.class === cls);
    const more = own.length - SHOWN_OF_CLASS;
    return [
      ...own.slice(0, SHOWN_OF_CLASS).flatMap(({ what, why }, i) => {
        // The same reason is not repeated on every line.
        const words = why === own[i - 1]?.why ? what : `${what}: ${why}`;
        return textRows(i === 0 ? cls : '', `- ${words}`, terminal, undefined, '  ');
      }),
      ...(more > 0 ? textRows('', `and ${more} more (--json lists them)`, terminal) : []),
    ];
  });
  return ['', `${INDENT}not checked, or left open`, ...rows];
}

/** Text after `start`, with further lines indented. */
function indented(text: string, start: string, terminal: Terminal): readonly string[] {
  const width = terminal.columns - INDENT.length - start.length;
  return wrap(printable(text), width).map(
    (line, i) => `${INDENT}${i === 0 ? start : ' '.repeat(start.length)}${line}`,
  );
}
