import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { faultCode, messageOf } from '@assay/core/fault';
import { isReplay } from '@assay/core/network';
import { MAX_BUNDLE_BYTES } from '@assay/core/proof/bundle';
import { WorkBudget } from '@assay/core/work-budget';
import { MOST_IN_MEMORY, TemporaryRows } from '@assay/node/ledger/scratch/temporary-rows';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { excerpt } from '@assay/verifier/verdict/printable';
import { summarize } from '@assay/verifier/summary/summary';
import type { ChainLookup } from '@assay/verifier/feed/chain-lookup';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { Policy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { type Subject, verify, type VerifyOptions } from '@assay/verifier/verify';
import { type Deadline, withDeadline } from '../reader/deadline.ts';
import { openDataFolder } from '../reader/data-reader.ts';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { exportHostReader, exportReader, isExportHost } from '../reader/export-reader.ts';
import { FILES_AT_ONCE, httpReader } from '../reader/http-reader.ts';
import { logUrl, meantUrl } from '../reader/log-url.ts';
import { adviceOn } from './advice.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { VerifyThreads } from '../process/verify-threads.ts';
import { printableJson } from '../text/printable-json.ts';
import { KeptAnswers } from './kept-answers.ts';
import { type Resumption, resumedVerdict } from './resumed-verdict.ts';
import { defaultPinPath, type PinFile, pinFile } from './pin-file.ts';
import { date, positive, serverUrl } from '../command/options.ts';
import { POLICY_OPTIONS, policyOf } from './policy-options.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';
import { VisitStore } from './visit-store.ts';
import { verdictText } from './verdict-text.ts';

/** How many seconds one verification may take. */
const TIMEOUT_S = 3600;
/** How often --progress writes a line. */
const PROGRESS_MS = 2000;

const OPTIONS = {
  ...POLICY_OPTIONS,
  index: option('TICKER', { section: 'The number that you settle on' })`
    The ticker of its index. A bundle must be of that index; a whole log must have it settled, by
    its own quorum and by the policy's.`,
  period: option('DATE', { parse: date, section: 'The number that you settle on' })`
    Its period. For a whole log the default is the newest period that is over.`,
  headers: option('FILE', { section: 'Bitcoin' })`
    Block headers of Bitcoin, 80 bytes each, as assay headers sync writes them. The blocks that
    the log names must be among them.`,
  bitcoinRpc: option('URL', { parse: serverUrl, section: 'Bitcoin' })`
    Take the block headers from your own Bitcoin node.`,
  explorer: option('URL', { parse: serverUrl, section: 'Bitcoin' })`
    Believe an explorer about the block headers (Esplora, such as https://host/api).`,
  chainRpc: option('URL', { section: 'Accounts on Solana' })`
    Believe a Solana node about the accounts that the log names. Every print in them must be a
    print of the log, and the other way round.`,
  chainAccounts: option('FILE', { section: 'Accounts on Solana' })`
    Take the accounts from a file that assay chain read --save has written.`,
  pins: option('FILE')`
    Where the first visit to a log is remembered. The default is ~/.local/state/assay/pins.json.`,
  noPin: flag`
    Neither use nor remember a visit.`,
  resume: option('FILE')`
    Keep the entries and bytes of the log in FILE, and what a good visit learned in FILE.visit, and
    go on from there: what is new is asked for and checked. Both are trusted, as the pins are. With
    --entry, and where Bitcoin's headers are given, everything is checked again. A visit with a
    finding asks for everything again and checks it again.`,
  fromStart: flag`
    With --resume: check the log from its first entry again, with the bytes that were kept.`,
  entry: option('N', { many: true, parse: entryNumber })`
    Name the two Bitcoin blocks between which entry N was written.`,
  extract: flag`
    Take the text from PDF files again and compare it.`,
  maxEntries: option('N', { parse: positive, fallback: DEFAULT_LIMITS.entries })`
    Give up on a log of more entries.`,
  timeout: option('S', { parse: positive, fallback: TIMEOUT_S })`
    Give up after S seconds.`,
  recheck: flag`
    Check a file again, years later, with nothing but itself and --headers: no network, no pins,
    and no verdict of yes unless one of those blocks holds the number.`,
  details: flag`
    Show everything: all counts, and the limits that no check can lift.`,
  progress: flag`
    Write the progress to standard error, a line every two seconds, also where nobody watches.`,
  json: flag`
    Print the verdict as JSON.`,
} as const;

type VerifyValues = Given<typeof OPTIONS> & { readonly target: string };

export const verifyCommand: Command = command({
  name: 'verify',
  summary: 'Check a log, or one number in a file, without trusting its publisher.',
  about: `Checks everything that a log publishes: the hash chain, the Merkle tree, the signatures of checkpoints and reports, the hashes of rules, and what the API serves. It also runs every rule again on the source bytes that were kept.`,
  operands: {
    target: {
      value: 'TARGET',
      about:
        'The address of a log, a folder (the data of a stopped node, or a static export), or a file that assay bundle has written.',
    },
  },
  options: OPTIONS,
  atMostOne: [
    ['headers', 'bitcoinRpc', 'explorer'],
    ['chainRpc', 'chainAccounts'],
  ],
  variables: {
    ASSAY_BITCOIN_RPC_AUTH: 'The user:password for --bitcoin-rpc.',
    ASSAY_SOLANA_RPC:
      'A Solana node for a whole log, where neither --chain-rpc nor --chain-accounts is given. An address with a key belongs here.',
  },
  exits: {
    0: 'The target is verified.',
    1: 'There are findings: something is wrong with the target.',
  },
  examples: {
    "assay verify https://index.example.org --key 'index.example.org/assay+0a1b2c3d+AbCd'":
      'Check a whole log, with the key that you know from its publisher.',
    'assay verify number.json --index LAYOFFS --period 2026-07-25':
      'Check that a file proves the number that you settle on.',
    'assay verify number.json --recheck --headers headers.bin --key KEY':
      'Check it again years later, without a network.',
  },
  run: verifyTarget,
});

async function verifyTarget(
  given: VerifyValues,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { target } = given;
  requireAlone(given);
  if (given.resume !== undefined && logUrl(target) === undefined) {
    throw new UsageError('--resume is for the address of a log');
  }
  if (given.fromStart && given.resume === undefined) {
    throw new UsageError('--from-start is for a visit with --resume');
  }
  const policy = await policyOf(given);
  const vouched = policy.checkpoint_keys.length > 0 || policy.log_id !== null;
  const pins =
    given.noPin || given.recheck
      ? undefined
      : pinFile(given.pins ?? defaultPinPath(environment), logUrl(target), !vouched);
  const run = async (deadline: Deadline): Promise<ExitCode> => {
    const verdict = await verdictOf(given, { policy, pins, deadline }, terminal, environment);
    const unpinned = await keepPin(verdict, pins);
    if (given.json) {
      const { headline, warnings, options, limits } = summarize(verdict);
      const summary = { headline, warnings, options, limits: limits.length };
      terminal.out(printableJson({ ...verdict, summary }));
    } else {
      const pinned = unpinned === undefined && isNewPin(verdict, pins);
      const advice = await adviceOn(verdict, target, deadline.signal);
      const view = { isPinned: pinned, isFull: given.details, advice };
      for (const line of verdictText(verdict, terminal, view)) terminal.out(line);
    }
    if (unpinned !== undefined) {
      terminal.error(
        `assay verify: the pin of this visit could not be stored (--no-pin avoids it): ${unpinned}`,
      );
      return EXIT.incomplete;
    }
    switch (verdict.outcome) {
      case 'verified':
        return EXIT.ok;
      case 'findings':
        return EXIT.findings;
      case 'incomplete':
        return EXIT.incomplete;
    }
  };
  // The time that it took to start counts as well.
  return withDeadline(given.timeout, run, () => performance.now(), 0);
}

interface Terms {
  readonly policy: Policy;
  readonly pins: PinFile | undefined;
  readonly deadline: Deadline;
}

/** Opens what is requested and verifies it. */
async function verdictOf(
  given: VerifyValues,
  { policy, pins, deadline }: Terms,
  terminal: Terminal,
  environment: Environment,
): Promise<Verdict> {
  const inTime = <T>(work: Promise<T>): Promise<T> => Promise.race([work, deadline.passed]);
  const everyMs = given.progress ? PROGRESS_MS : Number.POSITIVE_INFINITY;
  const progress = slowProgress(terminal, () => performance.now(), everyMs);
  const headers = await inTime(
    openHeaders(given, environment, progress.tell, deadline.signal),
  ).finally(progress.end);
  progress.wait(`waiting for ${excerpt(given.target, 60)}`);
  // Its newest slot must be known before anything of the log is read.
  const chain = await inTime(openChain(given, await solanaNode(given, environment), deadline));
  const opened = await openTarget(given.target, deadline);
  const unfit = unfitOptions(given, chain !== undefined, opened.subject.kind === 'bundle');
  if (unfit !== undefined) {
    await opened.close();
    throw new UsageError(unfit);
  }
  const { index, period } = given;
  let kept: Resumption | undefined;
  const threads = new VerifyThreads();
  const rows = new TemporaryRows(nodeSha256);
  try {
    if (given.resume !== undefined) {
      const answers = await inTime(KeptAnswers.open(given.resume, logUrl(given.target) ?? ''));
      kept = { answers, visit: new VisitStore(`${given.resume}.visit`) };
      if (given.fromStart) await kept.visit.clear();
    }
    const options: VerifyOptions = {
      environment: {
        ...nodeEnvironment(progress.tell, given.extract, threads),
        rowStore: rows.make,
      },
      limits: {
        entries: given.maxEntries,
        folded_bytes: MOST_IN_MEMORY,
        signal: deadline.clock,
        deadline: deadline.passed,
      },
      entries: given.entry,
      now: Math.floor(Date.now() / 1000),
      stamped: given.recheck,
      ...(index === undefined && period === undefined ? {} : { number: { index, period } }),
      ...(headers === undefined ? {} : { headers }),
      ...(chain === undefined ? {} : { chain }),
      ...(pins === undefined ? {} : { pins: pins.lookup }),
    };
    const { subject } = opened;
    if (kept === undefined || subject.kind !== 'log') return await verify(subject, policy, options);
    return await resumedVerdict(
      kept,
      { log: subject.reader, chain },
      async ({ log, chain: watched, memory }) => {
        // A walk has the room of the one before it.
        await rows.drop();
        return verify({ kind: 'log', reader: log }, policy, {
          ...options,
          ...(watched === undefined ? {} : { chain: watched }),
          ...(memory === undefined ? {} : { memory }),
        });
      },
      deadline.clock,
    );
  } finally {
    progress.end();
    await threads.close();
    await rows.drop();
    const trouble = kept?.answers.trouble ?? kept?.visit.trouble;
    if (trouble !== undefined) {
      terminal.error(`assay verify: not everything is kept in ${given.resume}: ${trouble}`);
    }
    await Promise.race([kept?.answers.close(), deadline.passed.catch(() => undefined)]);
    // What is still running at the deadline may keep it open.
    await Promise.race([opened.close(), deadline.passed.catch(() => undefined)]);
  }
}

/** Why options do not fit what was opened; undefined if they do. */
function unfitOptions(
  { index, period, recheck }: VerifyValues,
  hasChain: boolean,
  isBundle: boolean,
): string | undefined {
  if (recheck && !isBundle) return '--recheck is for a file of assay bundle';
  if (isBundle) {
    return hasChain
      ? '--chain-rpc and --chain-accounts are for a whole log: this is a bundle'
      : undefined;
  }
  const isOfNone = period !== undefined && index === undefined;
  return isOfNone ? '--period of a whole log is of an --index' : undefined;
}

/** Throws `UsageError` where a file is to be checked with itself and headers alone, and something else is named. */
function requireAlone({
  recheck,
  target,
  headers,
  pins,
  chainRpc,
  chainAccounts,
}: VerifyValues): void {
  if (!recheck) return;
  if (logUrl(target) !== undefined) throw new UsageError('--recheck is for a file of assay bundle');
  if (headers === undefined) {
    throw new UsageError(
      '--recheck needs --headers FILE: the file and headers are all that it uses',
    );
  }
  if (pins !== undefined || chainRpc !== undefined || chainAccounts !== undefined) {
    throw new UsageError('--recheck uses nothing but the file and --headers');
  }
}

/** Whether a visit leaves a pin where there was none. */
function isNewPin(verdict: Verdict, pins: PinFile | undefined): boolean {
  if (verdict.outcome !== 'verified' || verdict.pin === null || pins === undefined) return false;
  return verdict.trust === 'first_use' && !isReplay(verdict.log.origin);
}

/** Why the pin of a verdict could not be stored; undefined if it was, or if there is none. */
async function keepPin(verdict: Verdict, pins: PinFile | undefined): Promise<string | undefined> {
  if (verdict.outcome !== 'verified' || verdict.pin === null || pins === undefined)
    return undefined;
  try {
    await pins.remember(verdict.pin, verdict.key_vouched);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Bitcoin's headers from the source in the options; undefined if they name none. */
async function openHeaders(
  { headers, bitcoinRpc: rpc, explorer }: VerifyValues,
  environment: Environment,
  progress: (done: number, total: number, what: string) => void,
  signal: AbortSignal,
): Promise<HeaderLookup | undefined> {
  if (headers === undefined && rpc === undefined && explorer === undefined) return undefined;
  const { explorerLookup, fileLookup, nodeLookup } = await import('../headers/headers-lookup.ts');
  const now = Math.floor(Date.now() / 1000);
  if (rpc !== undefined) {
    return nodeLookup(rpc, environment['ASSAY_BITCOIN_RPC_AUTH'] || undefined, { now, signal });
  }
  if (explorer !== undefined) return explorerLookup(explorer, { now, signal });
  try {
    return await fileLookup(headers as string, { now, progress, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UsageError(`the headers file cannot be used: ${messageOf(error)}`);
  }
}

/**
 * The Solana node from --chain-rpc or, for a whole log, ASSAY_SOLANA_RPC; undefined if none is named, or if a
 * file of accounts is.
 */
async function solanaNode(
  { target, chainRpc: rpc, chainAccounts: file, recheck }: VerifyValues,
  environment: Environment,
): Promise<string | undefined> {
  if (file !== undefined || recheck) return undefined;
  if (rpc !== undefined) {
    if (isNodeUrl(rpc, 'plain')) return rpc;
    throw new UsageError('--chain-rpc is an address such as https://host, without a user');
  }
  const kept = environment['ASSAY_SOLANA_RPC'] ?? '';
  const isBundle = logUrl(target) === undefined && (await isFile(target));
  if (kept === '' || isBundle) return undefined;
  if (isNodeUrl(kept, 'with a user')) return kept;
  throw new UsageError('ASSAY_SOLANA_RPC is an address such as https://host');
}

/** The chain's accounts from a node or a file; undefined if nothing is named. */
async function openChain(
  { chainAccounts: file }: VerifyValues,
  rpc: string | undefined,
  { signal, clock }: Deadline,
): Promise<ChainLookup | undefined> {
  if (rpc === undefined && file === undefined) return undefined;
  const { fileAccounts, nodeAccounts } = await import('../chain/accounts.ts');
  if (rpc !== undefined) return nodeAccounts(rpc, { signal });
  try {
    const work = new WorkBudget({ isOver: () => clock.aborted });
    return await fileAccounts(file as string, work);
  } catch (error) {
    if (faultCode(error) === 'work_exceeded') throw error;
    throw new UsageError(`the accounts file cannot be used: ${messageOf(error)}`);
  }
}

/** Providers' addresses contain keys in their paths, so an invalid one is not quoted. */
function isNodeUrl(text: string, kind: 'plain' | 'with a user'): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return kind === 'with a user' || (url.username === '' && url.password === '');
}

function entryNumber(text: string): number {
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(text))
    throw new UsageError('--entry is a number of an entry');
  return Number(text);
}

interface OpenTarget {
  readonly subject: Subject;
  readonly close: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

async function openTarget(
  target: string,
  { signal, clock, passed }: Deadline,
): Promise<OpenTarget> {
  const url = logUrl(target);
  if (url !== undefined) {
    const server = httpReader(url, signal);
    const reader = await isExportHost(server).then(
      (files) => (files ? exportHostReader(httpReader(url, signal, FILES_AT_ONCE)) : server),
      // It has been tried often enough. The verdict says why there is none.
      (error: unknown) => ({ live: true, get: () => Promise.reject(error) }),
    );
    return { subject: { kind: 'log', reader }, close: nothing };
  }
  let info;
  try {
    info = await stat(target);
  } catch {
    throw new UsageError(`${target} is no URL, folder or file${meantUrl(target)}`);
  }
  if (!info.isDirectory()) {
    const bytes = await readPlainFile(target, MAX_BUNDLE_BYTES);
    if (bytes === undefined) throw new UsageError(`${target} is no plain file`);
    return { subject: { kind: 'bundle', bytes }, close: nothing };
  }
  if (await isFile(join(target, 'checkpoint'))) {
    return { subject: { kind: 'log', reader: exportReader(target) }, close: nothing };
  }
  if (!(await isFolder(join(target, 'ledger')))) {
    throw new UsageError(`${target} holds neither a node's data nor an export`);
  }
  const opening = openDataFolder(target, clock);
  const { folder, close } = await Promise.race([opening, passed]).catch((error: unknown) => {
    // What it opens after the deadline is closed again.
    if (clock.aborted) void opening.then((opened) => opened.close()).catch(() => undefined);
    throw error;
  });
  return { subject: { kind: 'folder', folder }, close };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isFile(),
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
