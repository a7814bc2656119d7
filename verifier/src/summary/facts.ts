import { isReplay } from '@assay/core/network';
import type { Checked, LogFacts, NumberFacts, Verdict, WitnessFacts } from '../verdict/verdict.ts';
import {
  bitcoinText,
  headersText,
  pendingSummary,
  pendingText,
  uncoveredText,
  windowText,
} from './bitcoin-text.ts';
import { checkedText, mainChecks } from './checked-text.ts';
import { indexText } from './completeness-text.ts';
import { type Fact, fact } from './fact.ts';
import { onchainFacts } from './onchain-text.ts';
import { quorumFacts } from './quorum-text.ts';
import { terminalSummary, terminalText } from './terminal-text.ts';
import { withUnit } from './unit-text.ts';
import { count } from './words.ts';

type Concluded = Exclude<Verdict, { readonly outcome: 'incomplete' }>;

/** What a verdict is about, in groups: the number, and the log with what was found of it. */
export function factsOf(verdict: Verdict): readonly (readonly Fact[])[] {
  const checked = checkedFacts(verdict.checked);
  if (verdict.outcome === 'incomplete') return [checked];
  const number =
    verdict.outcome === 'verified' && verdict.number !== null
      ? numberFacts(verdict.number, verdict.subject)
      : [];
  const log = [
    ...(verdict.log === null ? [] : logFacts(verdict.log, verdict)),
    ...statementFacts(verdict),
    ...tickFacts(verdict),
    ...bitcoinFacts(verdict),
    ...(verdict.onchain === null ? [] : onchainFacts(verdict.onchain)),
    ...checked,
  ];
  return number.length === 0 ? [log] : [number, log];
}

function numberFacts(number: NumberFacts, subject: Verdict['subject']): readonly Fact[] {
  const { ticker, period, status, reason, value, unit, settleable } = number;
  const shown = value === null ? 'no value' : withUnit(value, unit);
  const settles = settleable ? 'settleable by its rule' : 'not settleable';
  return [
    fact('number', `${ticker} ${period}: ${shown}`),
    fact('status', `${reason === null ? status : `${status} (${reason})`}, ${settles}`),
    fact('published', number.published_at),
    fact('report', number.report_hash),
    fact('rule', number.rule_hash),
    ...quorumFacts(number),
    ...(subject === 'bundle' ? [fact('index', indexText(number))] : []),
  ];
}

const TRUST: Readonly<Record<'policy' | 'pinned' | 'key', string>> = {
  policy: 'the key or the log id that you named',
  pinned: 'the key and the history that were pinned on an earlier visit',
  // A bundle contains one head and cannot show whether it continues the pinned one.
  key: 'the key that was pinned on an earlier visit; not the history pinned with it',
};

function logFacts(
  { origin, log_id: id, size, root, checkpoint_vkey: vkey, ...key }: LogFacts,
  { trust, subject, witnesses }: Concluded,
): readonly Fact[] {
  const facts = [
    fact('log', `${origin}, ${count(size, 'entry', 'entries')}`),
    fact('root', root),
    fact('key', vkey),
    ...keyFacts(key),
    fact('id', id, { isDetail: true }),
  ];
  if (trust === 'policy' || trust === 'pinned') {
    facts.push(fact('trust', TRUST[trust === 'pinned' && subject === 'bundle' ? 'key' : trust]));
  } else if (trust === 'first_use' && isReplay(origin)) {
    facts.push(
      fact('trust', 'none: every replay has this name and this key', { isDoubtful: true }),
    );
  } else if (trust === 'first_use') {
    facts.push(fact('trust', 'first use: nobody has vouched for this key', { isDoubtful: true }));
  }
  return [...facts, ...witnessFacts(witnesses)];
}

/** Which of the log's checkpoint keys it is; nothing for the first one. */
function keyFacts({
  checkpoint_key: number,
  checkpoint_since: seq,
}: Pick<LogFacts, 'checkpoint_key' | 'checkpoint_since'>): readonly Fact[] {
  return number === 0 ? [] : [fact('', `checkpoint key ${number}, since entry ${seq}`)];
}

/** Who of the policy's witnesses has seen the checkpoint; nothing if it lists none. */
function witnessFacts(facts: WitnessFacts | null): readonly Fact[] {
  if (facts === null || (facts.required === 0 && facts.witnesses.length === 0)) return [];
  const { required, witnesses } = facts;
  const seen = witnesses.map(({ operator, name, time }) => `${operator} (${name}) at ${time}`);
  const asked = required === 0 ? 'none required' : `${required} required`;
  const by = `cosigned by ${count(witnesses.length, 'operator')}, ${asked}`;
  const text = seen.length === 0 ? by : `${by}: ${seen.join(', ')}`;
  return [fact('witnesses', text, { isDoubtful: witnesses.length < required })];
}

/** What a co-signer states in its own log. */
function statementFacts({ words }: Concluded): readonly Fact[] {
  if (words === null) return [];
  const { cosigner, logs, agreements, dissents, abstentions, newest } = words;
  const counts = [
    count(agreements, 'agreement'),
    count(dissents, 'dissent'),
    count(abstentions, 'abstention'),
  ].join(', ');
  return [
    fact('statements', `${counts}; the newest at ${newest}`),
    fact('co-signer', cosigner),
    ...logs.map((log, i) => fact(i === 0 ? 'about log' : '', log)),
  ];
}

/** The ticks of each class in the log. */
function tickFacts({ terminal }: Concluded): readonly Fact[] {
  return terminal.flatMap((each, i) => {
    const name = i === 0 ? 'ticks' : '';
    const { words, plain } = terminalText(each);
    return [
      fact(name, terminalSummary(each), { isDoubtful: !plain }),
      fact('', words, { isDetail: true }),
    ];
  });
}

function bitcoinFacts({ bitcoin, subject }: Concluded): readonly Fact[] {
  if (bitcoin === null) return [];
  const facts: Fact[] = [];
  const { words, proven } = bitcoinText(bitcoin, subject);
  if (words !== '') facts.push(fact('bitcoin', words, { isDoubtful: !proven }));
  const headers = headersText(bitcoin);
  if (headers !== undefined) {
    facts.push(fact('headers', headers.words, { isDoubtful: !headers.proven }));
  }
  const uncovered = uncoveredText(bitcoin);
  if (uncovered !== undefined) {
    const isLate = !uncovered.proven;
    facts.push(fact('unstamped', uncovered.words, { isDoubtful: isLate, isDetail: !isLate }));
  }
  const pending = pendingSummary(bitcoin);
  if (pending !== undefined) facts.push(fact('pending', pending));
  facts.push(...pendingText(bitcoin).map((text) => fact('', text, { isDetail: true })));
  for (const window of bitcoin.windows) {
    const lines = windowText(window, bitcoin);
    facts.push(...lines.map((text, i) => fact(i === 0 ? 'window' : '', text)));
  }
  return facts;
}

function checkedFacts(checked: Checked): readonly Fact[] {
  const all = checkedText(checked);
  const main = mainChecks(checked);
  if (main === all) return [fact('checked', all)];
  return [fact('checked', `${main} and more`), fact('', all, { isDetail: true })];
}
