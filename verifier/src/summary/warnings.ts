import { isReplay } from '@assay/core/network';
import { isCheap } from '../bitcoin/header-lookup.ts';
import type { BitcoinFacts, NotChecked, OnchainFacts, Verdict } from '../verdict/verdict.ts';
import { kindOf, type Remedy, type WarningRemedy } from '../verdict/remedy.ts';
import { blockWarning } from './bitcoin-text.ts';
import { numberWarnings } from './number-warnings.ts';
import { terminalWarnings } from './terminal-text.ts';
import type { Warning } from './warning.ts';
import { count } from './words.ts';

type Concluded = Exclude<Verdict, { readonly outcome: 'incomplete' }>;

/** How many things one warning names. The verdict has all of them. */
const NAMED = 10;

const REMEDIES: Readonly<Record<WarningRemedy, string>> = {
  ask_publisher: 'Ask the publisher why, and settle nothing that depends on it until you know.',
  ask_cosigners:
    'Ask the co-signers whom you know what they counted, and do not settle on these before.',
  ask_source: 'Compare the time with what the source itself announced.',
  other_node: 'Ask another node for the accounts, or give all of them.',
  newer_log: 'Verify a newer copy of the log, from its own address.',
  other_log: 'Verify that other log as well.',
  own_copies: 'Compare the receipts and the signed heads that you kept from that time.',
  limits: 'Do not rely on this part: it was not checked.',
  again: 'Verify again once the findings are resolved.',
};

/** What must be known beside a verdict before anybody acts on it; empty where nothing was said about a log. */
export function warningsOf(verdict: Verdict): readonly Warning[] {
  if (verdict.outcome === 'incomplete') return [];
  return [
    ...trustWarnings(verdict),
    ...(verdict.outcome === 'verified' && verdict.number !== null
      ? numberWarnings(verdict.number, verdict.subject)
      : []),
    ...reservationWarnings(verdict.not_checked),
    ...(verdict.bitcoin === null ? [] : bitcoinWarnings(verdict.bitcoin, verdict.subject)),
    ...(verdict.onchain === null ? [] : chainWarnings(verdict.onchain)),
    ...verdict.terminal.flatMap(terminalWarnings),
  ];
}

function trustWarnings({
  log,
  key_vouched: isVouched,
  trust,
  demands,
}: Concluded): readonly Warning[] {
  if (log === null) return [];
  const warnings: Warning[] = [];
  if (log.network === 'development') {
    warnings.push({
      code: 'development',
      text: 'This is a development log: nothing of it may be settled on.',
      todo: 'Ask its publisher for the address and the key of the production log.',
    });
  }
  if (isVouched) return warnings;
  if (isReplay(log.origin)) {
    warnings.push({
      code: 'key_not_vouched',
      text: 'Every replay has this name and this key, with which anybody may sign.',
      todo: 'Whoever has the market files recomputes it: assay receipts check.',
    });
    return warnings;
  }
  const known =
    trust === 'pinned'
      ? ': an earlier visit pinned it, and nobody had vouched for it then'
      : demands.key
        ? ''
        : ', so that anybody could have made this log';
  warnings.push({
    code: 'key_not_vouched',
    text: `Nobody has vouched for the key of this log${known}.`,
    todo: 'Get the key from somebody other than this server, and give it with --key.',
  });
  return warnings;
}

/** The reservations that are warnings. Those with one reason are one warning. */
function reservationWarnings(items: readonly NotChecked[]): readonly Warning[] {
  const groups = new Map<string, NotChecked[]>();
  for (const item of items) {
    if (kindOf(item.remedy) !== 'warning') continue;
    const key = `${item.class}\0${item.remedy}\0${item.why}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()].map((group) => {
    const [{ remedy, why } = { remedy: 'limits', why: '' }] = group as readonly {
      readonly remedy: Remedy;
      readonly why: string;
    }[];
    const more = group.length > NAMED ? `; and ${group.length - NAMED} more` : '';
    const what = group.slice(0, NAMED).map((each) => each.what);
    const todo = REMEDIES[remedy as WarningRemedy];
    return {
      code: remedy as WarningRemedy,
      text: `${capital(what.join('; '))}${more}: ${why}.`,
      todo,
      of: group,
    };
  });
}

function bitcoinWarnings(facts: BitcoinFacts, subject: Verdict['subject']): readonly Warning[] {
  const { network, uncovered, source } = facts;
  const block = blockWarning(facts, subject);
  const warnings: Warning[] = block === undefined ? [] : [block];
  if (uncovered?.late === true && uncovered.from > 0) {
    warnings.push({
      code: 'stamp_late',
      text: `Entries ${uncovered.from} to ${uncovered.to - 1} are in no batch of stamps, and one of them has waited for over two hours.`,
      todo: 'Ask the publisher why the log is no longer stamped.',
    });
  }
  const work = source?.work ?? null;
  if (network === 'bitcoin' && work !== null && work.of > 0 && isCheap(work)) {
    warnings.push({
      code: 'cheap_headers',
      text: 'The headers given have less than half of the work that they should have, and vouch for no block after the shipped table.',
      todo: 'Take the headers from another place: assay headers sync, or your own Bitcoin node.',
    });
  }
  return warnings;
}

function chainWarnings({ behind, newer, unseen }: OnchainFacts): readonly Warning[] {
  const warnings: Warning[] = [];
  if (behind.count > 0) {
    warnings.push({
      code: 'chain_behind',
      text: `${count(behind.count, 'print or Close', 'prints and Closes')} of the log ${behind.count === 1 ? 'is' : 'are'} not on chain yet.`,
      todo: 'A venue that reads the chain alone does not see them: verify again later.',
    });
  }
  if (newer > 0) {
    warnings.push({
      code: 'chain_newer',
      text: `${count(newer, 'thing')} on chain came after the log that was read.`,
      todo: REMEDIES.newer_log,
    });
  }
  if (unseen > 0) {
    warnings.push({
      code: 'chain_unseen',
      text: `${count(unseen, 'print or Close', 'prints and Closes')} that the log says are on chain were not in the accounts given.`,
      todo: 'Give newer accounts, or all of them.',
    });
  }
  return warnings;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
