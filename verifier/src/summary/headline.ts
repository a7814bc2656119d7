import { type FindingCode, isDemand } from '../verdict/finding.ts';
import { printable } from '../verdict/printable.ts';
import type { IncompleteCause, NumberFacts, Verdict } from '../verdict/verdict.ts';
import type { ReservationCount, ReservationCounts } from '../verdict/reservation.ts';
import { findingText, isTampering } from './finding-text.ts';
import { laterWarnings } from './number-warnings.ts';
import { withUnit } from './unit-text.ts';
import { count } from './words.ts';

type Of<Outcome extends Verdict['outcome']> = Extract<Verdict, { readonly outcome: Outcome }>;

/**
 * The answer in one sentence, for a reader who reads nothing else. DEVELOPMENT and "key not vouched for" are in it
 * whenever they apply, and so is what keeps a number from being settled on.
 */
export function headlineOf(verdict: Verdict, warnings: number): string {
  switch (verdict.outcome) {
    case 'verified': {
      const open = countText(verdict.reservations);
      const more = [
        verifiedText(verdict),
        ...(open === '' ? [] : [open]),
        ...(warnings === 0 ? [] : [`${count(warnings, 'warning')} below`]),
      ];
      return printable(`VERIFIED${marks(verdict)}: ${more.join('; ')}.`);
    }
    case 'findings':
      return printable(`NOT VERIFIED${marks(verdict)}: ${foundText(verdict)}.`);
    case 'incomplete':
      return `NOT COMPLETED: ${causeText(verdict)}; this says nothing about any log.`;
  }
}

/** What weakens any verdict, in brackets behind its first word. */
function marks({ log, key_vouched: isVouched }: Of<'verified'> | Of<'findings'>): string {
  if (log === null) return '';
  const all = [
    ...(log.network === 'development' ? ['DEVELOPMENT'] : []),
    ...(isVouched ? [] : ['key not vouched for']),
  ];
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

function verifiedText({ log, number, words, subject }: Of<'verified'>): string {
  if (number !== null) return numberText(number, subject, log.network === 'development');
  const whose = words === null ? 'the log' : "a co-signer's own log,";
  return `no fault was found in the ${count(log.size, 'entry', 'entries')} of ${whose} ${log.origin}`;
}

/** What is missing in a whole log that a settlement depends on. */
function countText(counts: ReservationCounts): string {
  const words: Readonly<Record<ReservationCount, string>> = {
    finals_without_quorum: `${count(counts.finals_without_quorum, 'final')} without quorum`,
    open_periods: `${count(counts.open_periods, 'period')} open`,
    missing_closes: `${count(counts.missing_closes, 'day')} without a Close`,
    missing_indexes: `${count(counts.missing_indexes, 'day')} without an index entry`,
    unseen_ranges: 'more periods than were gone through',
    lost_ranges: `${count(counts.lost_ranges, 'range')} of entries lost`,
    stale_days: `newest entry ${count(counts.stale_days, 'day')} old`,
    moved_releases: `${count(counts.moved_releases, 'release')} moved`,
    late_publications: count(counts.late_publications, 'late publication'),
    newer_feeds: `${count(counts.newer_feeds, 'newer feed')} on chain`,
  };
  const names = Object.keys(words) as ReservationCount[];
  return names.flatMap((name) => (counts[name] === 0 ? [] : [words[name]])).join(', ');
}

function numberText(
  number: NumberFacts,
  subject: Verdict['subject'],
  isDevelopment: boolean,
): string {
  const later = laterWarnings(number).length === 0 ? '' : ', and superseded or corrected since';
  const { dissents } = number.quorum;
  const against = dissents === 0 ? '' : `; ${count(dissents, 'co-signer')} counted another number`;
  return `${statusText(number, subject, isDevelopment)}${later}${against}`;
}

function statusText(
  number: NumberFacts,
  subject: Verdict['subject'],
  isDevelopment: boolean,
): string {
  const { ticker, period, status, reason, value, unit } = number;
  const shown = value === null ? 'no published value' : withUnit(value, unit);
  const why = reason === null ? '' : ` (${reason})`;
  const named = `${ticker} of ${period}`;
  if (status === 'void') return `${named} is void${why}: there is no value to settle on`;
  const start = `${named} is ${shown}, ${status}${why}`;
  if (status === 'provisional') return `${start}: nothing settles on it yet`;
  if (status !== 'final') return `${start}: nothing settles on it`;
  if (!number.settleable) return `${start}, but its rule lets no contract settle on it`;
  const { have, required } = number.quorum;
  if (!number.settled) {
    return `${start}, but not settled: ${have} of ${count(required, 'co-signer')} recounted it`;
  }
  const counted = `${start}, ${countedText(number)}`;
  if (isDevelopment) return `${counted}; nothing of a development log may be settled on`;
  const shownBy = subject === 'bundle' ? ', as far as this file shows' : '';
  return `${counted}; its rule lets a contract settle on it${shownBy}`;
}

/** Whose recount a number rests on. */
function countedText({ rests_on: restsOn, quorum, policy }: NumberFacts): string {
  switch (restsOn) {
    case 'policy':
      return `recounted by ${count(policy.operators.length, 'operator')} of your policy`;
    case 'log':
    case 'bundle':
      return `recounted by ${count(quorum.have, 'co-signer')} of its publisher's choice`;
    case 'publisher':
      return 'recounted by nobody';
  }
}

/** The findings of a head that its log has not signed as it is. */
const UNSIGNED: ReadonlySet<FindingCode> = new Set([
  'checkpoint_malformed',
  'checkpoint_unsigned',
  'checkpoint_bad_signature',
]);

function foundText({ findings, findings_count: all }: Of<'findings'>): string {
  const others = findings.filter((each) => !isDemand(each));
  // Under a head that nobody has signed, no entry is where it belongs, and none of them need have been changed.
  const first =
    others.find(({ code }) => UNSIGNED.has(code)) ??
    others.find(isTampering) ??
    others[0] ??
    findings[0];
  const text = first === undefined ? 'something is wrong' : findingText(first);
  const more = all > 1 ? `, and ${count(all - 1, 'other finding')}` : '';
  const isDemanded = findings.length > 0 && findings.every(isDemand);
  return `${isDemanded ? 'what you demanded is not met: ' : ''}${text}${more}`;
}

const CAUSES: Readonly<Record<IncompleteCause, string>> = {
  no_log: 'there is no log at this address',
  not_a_bundle: 'the file is no bundle',
  reformatted: 'the file is a bundle that another program has laid out anew',
  interrupted: 'the check could not be carried out',
};

function causeText({ cause }: Of<'incomplete'>): string {
  return CAUSES[cause];
}
