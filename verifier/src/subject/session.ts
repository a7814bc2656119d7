import { messageOf } from '@assay/core/fault';
import { type Hash, hashHex } from '@assay/core/hash/hash';
import type { AskedNumber } from './asked-number.ts';
import type { WorkBudget } from '@assay/core/work-budget';
import type { Environment } from '../verdict/environment.ts';
import { Findings, MAX_FINDINGS } from '../verdict/finding.ts';
import type { ChainLookup } from '../feed/chain-lookup.ts';
import type { HeaderLookup } from '../bitcoin/header-lookup.ts';
import { chargedEnvironment, type Limits, workWithin } from '../verdict/limits.ts';
import type { KnownPin, Policy } from '../verdict/policy.ts';
import { excerpt } from '../verdict/printable.ts';
import { makePin, type TrustedKey } from '../trust/trust.ts';
import {
  type BitcoinFacts,
  emptyTally,
  type LogFacts,
  NotCheckedList,
  type NumberFacts,
  type OnchainFacts,
  type Demands,
  type IncompleteCause,
  type Tally,
  type TerminalFacts,
  type Verdict,
  type WitnessFacts,
  type StatementFacts,
} from '../verdict/verdict.ts';
import { VERDICT_TYPE, VERIFIER_VERSION } from '../verdict/version.ts';
import type { VisitMemory } from './kept-visit.ts';
import { nameWitnessTerms } from '../trust/witness-check.ts';

/** Looks up what an earlier visit to a log of this origin left. */
export type PinLookup = (origin: string) => Promise<KnownPin | undefined>;

/** What one verification gathers on its way to a verdict. */
export interface Session {
  readonly subject: Verdict['subject'];
  readonly policy: Policy;
  readonly pins: PinLookup;
  /** Its hashes and signature checks are charged to `work`. */
  readonly environment: Environment;
  readonly limits: Limits;
  /** The budget of the whole verification, which everything that reads foreign bytes gets. */
  readonly work: WorkBudget;
  /** Headers from elsewhere; undefined where only the work of the log's own headers counts. */
  readonly headers: HeaderLookup | undefined;
  /** Accounts of the chain that the log names; undefined where they are not compared. */
  readonly chain: ChainLookup | undefined;
  /** The entries for which the verdict names the two blocks around them. */
  readonly entries: readonly number[];
  /** The number to settle on, which a bundle must be about and a log must have settled. */
  readonly asked: AskedNumber | undefined;
  /** The verifier's clock, unix seconds; undefined without one. */
  readonly now: number | undefined;
  /** Whether a block of the headers given must hold the report of a bundle. */
  readonly stamped: boolean;
  /** Where the walk of a log may go on, and be kept for the next visit; undefined for one from entry 0 alone. */
  readonly memory: VisitMemory | undefined;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
  readonly tally: Tally;
}

export function openSession(
  subject: Verdict['subject'],
  policy: Policy,
  pins: PinLookup,
  environment: Environment,
  limits: Limits,
  headers: HeaderLookup | undefined,
  entries: readonly number[],
  asked?: AskedNumber,
  chain?: ChainLookup,
  now?: number,
  stamped = false,
  memory?: VisitMemory,
): Session {
  const work = workWithin(limits);
  return {
    subject,
    policy,
    pins,
    environment: chargedEnvironment(environment, work),
    limits,
    work,
    headers,
    chain,
    entries,
    asked,
    now,
    stamped,
    memory,
    findings: new Findings(MAX_FINDINGS, work),
    notChecked: new NotCheckedList(),
    tally: emptyTally(),
  };
}

/** What a verification knows of the log when it ends. */
export interface Ending {
  readonly trusted: TrustedKey;
  readonly logId: Hash;
  readonly size: number;
  readonly root: Hash;
  readonly number: NumberFacts | null;
  readonly bitcoin: BitcoinFacts | null;
  /** The report key in force at the end, in hex; that of genesis where absent. */
  readonly reportKey?: string | undefined;
  /** Absent where no accounts were compared. */
  readonly onchain?: OnchainFacts | undefined;
  readonly witnesses: WitnessFacts;
  /** Absent where the log is not a co-signer's. */
  readonly words?: StatementFacts | undefined;
  /** Absent where no ticks were followed. */
  readonly terminal?: readonly TerminalFacts[] | undefined;
}

/**
 * The verdict. It is "verified" only for a complete ending without a single finding. Throws `work_exceeded` where the
 * work ended early, even if somebody caught that error on its way.
 */
export function conclude(session: Session, ending: Ending | undefined): Verdict {
  session.work.requireLeft();
  return concluded(session, ending);
}

function concluded(session: Session, ending: Ending | undefined): Verdict {
  const { subject, findings, tally, notChecked } = session;
  if (tally.reads_reexecuted > 0) nameClaims(notChecked);
  if (tally.cosignatures + tally.dissents > 0) nameSilence(notChecked);
  if (tally.statements > 0) nameSubjects(notChecked);
  if (ending !== undefined) {
    const { genesis } = ending.trusted;
    nameWitnessTerms({ policy: session.policy, genesis, now: session.now }, notChecked);
  }
  const common = commonOf(session);
  const log = ending === undefined ? null : logFacts(ending);
  if (findings.count === 0 && ending !== undefined && log !== null) {
    return {
      ...common,
      outcome: 'verified',
      trust: ending.trusted.trust,
      key_vouched: ending.trusted.vouched,
      log,
      bitcoin: ending.bitcoin,
      onchain: ending.onchain ?? null,
      number: ending.number,
      witnesses: ending.witnesses,
      words: ending.words ?? null,
      terminal: ending.terminal ?? [],
      pin:
        subject === 'bundle'
          ? null
          : makePin(ending.trusted, ending.logId, ending.size, ending.root),
    };
  }
  if (findings.count === 0) return incomplete(session, 'the verification ended early');
  return {
    ...common,
    outcome: 'findings',
    trust: ending?.trusted.trust ?? null,
    key_vouched: ending?.trusted.vouched ?? false,
    log,
    bitcoin: ending?.bitcoin ?? null,
    onchain: ending?.onchain ?? null,
    witnesses: ending?.witnesses ?? null,
    words: ending?.words ?? null,
    terminal: ending?.terminal ?? [],
    findings: findings.list,
    findings_count: findings.count,
  };
}

/** What every verdict has. */
function commonOf({ subject, tally, notChecked, policy, asked, headers, chain }: Session): {
  readonly type: typeof VERDICT_TYPE;
  readonly verifier: string;
  readonly demands: Demands;
} & Pick<Verdict, 'subject' | 'checked' | 'not_checked' | 'reservations'> {
  return {
    type: VERDICT_TYPE,
    verifier: VERIFIER_VERSION,
    subject,
    demands: {
      key: policy.checkpoint_keys.length > 0 || policy.log_id !== null,
      strict: policy.strict,
      witnesses: policy.witnesses_required,
      cosigners: policy.cosigners_required,
      complete: policy.complete,
      index: asked?.index ?? null,
      period: asked?.period ?? null,
      headers: headers !== undefined,
      accounts: chain !== undefined,
    },
    checked: { ...tally },
    not_checked: notChecked.list,
    reservations: notChecked.counts,
  };
}

/** Names what no log can prove about itself, so that no reader of a positive verdict takes it as proven. */
function nameClaims(notChecked: NotCheckedList): void {
  notChecked.add(
    'sources',
    'that the sources gave the kept bytes',
    "they are the publisher's copies: they show what was computed, not what was published",
    'none',
  );
  notChecked.add(
    'times',
    'that the times are true',
    'a log shows their order, and claims the rest',
    'none',
  );
}

/** Names what a co-signature alone cannot show. */
function nameSilence(notChecked: NotCheckedList): void {
  notChecked.add(
    'quorum',
    'what co-signers read and what they keep of it, and the reports on which they are silent',
    'the log holds their statements and signatures; only their own records show that they are independent',
    'none',
  );
}

/** Names what a co-signer's log cannot show. */
function nameSubjects(notChecked: NotCheckedList): void {
  notChecked.add(
    'scope',
    'what statements are about and rest on',
    "the reports are in the publisher's log: assay watch holds both logs against each other",
    'watch',
  );
}

/** The verdict of a verification that could not continue. Findings so far still count; their absence says nothing. */
export function interrupted(session: Session, error: unknown): Verdict {
  const reason = messageOf(session.work.exceeded ?? error);
  if (session.findings.count === 0) return incomplete(session, reason);
  session.notChecked.add('completeness', 'everything after this point', reason, 'again');
  return concluded(session, undefined);
}

/** The verdict where nothing is said about the log, and why. Throws `TypeError` where there are findings. */
export function incomplete(
  session: Session,
  reason: string,
  cause: IncompleteCause = 'interrupted',
): Verdict {
  if (session.findings.count > 0) throw new TypeError('incomplete: there are findings');
  return {
    ...commonOf(session),
    outcome: 'incomplete',
    cause,
    reason: excerpt(reason, 300),
    findings: session.findings.list,
  };
}

function logFacts({ trusted, logId, size, root, reportKey }: Ending): LogFacts {
  const { genesis } = trusted;
  return {
    origin: genesis.origin,
    network: genesis.network,
    log_id: hashHex(logId),
    checkpoint_vkey: trusted.vkey,
    checkpoint_key: trusted.number,
    checkpoint_since: trusted.since,
    report_key: reportKey ?? genesis.report_key,
    size,
    root: hashHex(root),
  };
}
