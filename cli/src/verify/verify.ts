import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultCode, messageOf } from '@assay/core/fault';
import { MAX_BUNDLE_BYTES } from '@assay/core/proof/bundle';
import { isDate } from '@assay/core/time/time';
import { WorkBudget } from '@assay/core/work-budget';
import type { AskedNumber } from '@assay/verifier/subject/asked-number';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import type { ChainLookup } from '@assay/verifier/feed/chain-lookup';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { type Subject, verify } from '@assay/verifier/verify';
import { type Deadline, withDeadline } from '../reader/deadline.ts';
import { openDataFolder } from '../reader/data-reader.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { exportHostReader, exportReader, isExportHost } from '../reader/export-reader.ts';
import { httpReader } from '../reader/http-reader.ts';
import { logUrl } from '../reader/log-url.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { printableJson } from '../text/printable-json.ts';
import { defaultPinPath, type PinFile, pinFile } from './pin-file.ts';
import { positiveOption, urlOption } from '../command/options.ts';
import { POLICY_HELP, POLICY_OPTIONS, policyOf } from './policy-options.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';
import { verdictText } from './verdict-text.ts';

/** Seconds that one verification may take. */
const TIMEOUT_S = 3600;

export const verifyHelp: string = `assay verify <url | folder | bundle file>

Checks everything that a log publishes: hash chain, Merkle tree, checkpoint and report signatures,
rule hashes, every rule run again on the kept source bytes, and what the API serves.
A folder is a node's data at rest or a static export.

${POLICY_HELP}
  --pins FILE     where first visits are pinned (default: ~/.local/state/assay/pins.json)
  --no-pin        look at no pins and leave none
  --headers FILE  Bitcoin's headers, 80 bytes each: blocks in the log must be among them
  --bitcoin-rpc URL  the same from your own Bitcoin node; user:password in ASSAY_BITCOIN_RPC_AUTH
  --explorer URL  the same by an explorer's word (Esplora, such as https://host/api)
  --index T       the number that you settle on: the ticker of its index. A bundle must be of
                  it; a whole log must have it settled, by its own quorum and the policy's
  --period DATE   and its period; of a whole log, without it, the newest that is over
  --chain-rpc URL the accounts on the chain that the log names, by a Solana node's word:
                  every print there must be the log's, and the other way round; without it,
                  of a whole log, ASSAY_SOLANA_RPC, where an address with a key belongs
  --chain-accounts FILE  the same from a file of \`assay chain read --save\`
  --entry N       name the two Bitcoin blocks between which entry N was written; may be repeated
  --extract       take text from PDFs again and compare it
  --max-entries N give up on a log of more entries (default 50000000)
  --timeout S     give up after so many seconds (default 3600)
  --json          the verdict as JSON

Exit code: 0 verified, 1 findings, 2 usage, 3 could not be completed.`;

export async function verifyCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...POLICY_OPTIONS,
      pins: { type: 'string' },
      'no-pin': { type: 'boolean' },
      headers: { type: 'string' },
      'bitcoin-rpc': { type: 'string' },
      explorer: { type: 'string' },
      'chain-rpc': { type: 'string' },
      'chain-accounts': { type: 'string' },
      entry: { type: 'string', multiple: true },
      index: { type: 'string' },
      period: { type: 'string' },
      extract: { type: 'boolean' },
      'max-entries': { type: 'string' },
      timeout: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [target, ...rest] = positionals;
  if (target === undefined || rest.length > 0) throw new UsageError('verify takes one target');
  const policy = await policyOf(values);
  const vouched = policy.checkpoint_keys.length > 0 || policy.log_id !== null;
  const pins =
    values['no-pin'] === true
      ? undefined
      : pinFile(values.pins ?? defaultPinPath(environment), logUrl(target), !vouched);
  const entries = positiveOption(values['max-entries'], '--max-entries') ?? DEFAULT_LIMITS.entries;
  const seconds = positiveOption(values.timeout, '--timeout') ?? TIMEOUT_S;
  const asked = (values.entry ?? []).map(entryNumber);
  const number = askedNumber(values.index, values.period);
  const given = [values.headers, values['bitcoin-rpc'], values.explorer];
  if (given.filter((each) => each !== undefined).length > 1) {
    throw new UsageError('verify takes one of --headers, --bitcoin-rpc and --explorer');
  }
  if (values['chain-rpc'] !== undefined && values['chain-accounts'] !== undefined) {
    throw new UsageError('verify takes one of --chain-rpc and --chain-accounts');
  }
  const run = async (deadline: Deadline): Promise<ExitCode> => {
    const inTime = <T>(work: Promise<T>): Promise<T> => Promise.race([work, deadline.passed]);
    const { signal } = deadline;
    const progress = slowProgress(terminal, () => performance.now());
    const headers = await inTime(openHeaders(values, environment, progress.tell, signal)).finally(
      progress.end,
    );
    // Its newest slot must be known before anything of the log is read.
    const chain = await inTime(
      openChain(values, await solanaNode(values, target, environment), deadline),
    );
    const opened = await openTarget(target, deadline);
    if (chain !== undefined && opened.subject.kind === 'bundle') {
      await opened.close();
      throw new UsageError(
        '--chain-rpc and --chain-accounts are for a whole log: this is a bundle',
      );
    }
    if (
      number?.period !== undefined &&
      number.index === undefined &&
      opened.subject.kind !== 'bundle'
    ) {
      await opened.close();
      throw new UsageError('--period of a whole log is of an --index');
    }
    let verdict: Verdict;
    try {
      verdict = await verify(opened.subject, policy, {
        environment: nodeEnvironment(progress.tell, values.extract === true),
        limits: { entries, signal: deadline.clock, deadline: deadline.passed },
        entries: asked,
        now: Math.floor(Date.now() / 1000),
        ...(number === undefined ? {} : { number }),
        ...(headers === undefined ? {} : { headers }),
        ...(chain === undefined ? {} : { chain }),
        ...(pins === undefined ? {} : { pins: pins.lookup }),
      });
    } finally {
      progress.end();
      // What is still under way at the deadline may hold it open.
      await Promise.race([opened.close(), deadline.passed.catch(() => undefined)]);
    }
    const unpinned = await keepPin(verdict, pins);
    if (values.json === true) {
      terminal.out(printableJson(verdict));
    } else {
      const pinned = unpinned === undefined && pins !== undefined && verdict.subject !== 'bundle';
      for (const line of verdictText(verdict, terminal, pinned)) terminal.out(line);
    }
    if (unpinned !== undefined) {
      terminal.error(
        `assay verify: the pin of this visit could not be kept (--no-pin does without): ${unpinned}`,
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
  // The time that it took to begin is part of what it was given.
  return withDeadline(seconds, run, () => performance.now(), 0);
}

/** Why the pin that a verdict leaves could not be kept; undefined where it was, or there is none. */
async function keepPin(verdict: Verdict, pins: PinFile | undefined): Promise<string | undefined> {
  if (verdict.outcome !== 'verified' || verdict.pin === null || pins === undefined)
    return undefined;
  try {
    await pins.remember(verdict.pin);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Bitcoin's headers from where the options say; undefined where they name none. */
async function openHeaders(
  values: {
    readonly headers?: string | undefined;
    readonly 'bitcoin-rpc'?: string | undefined;
    readonly explorer?: string | undefined;
  },
  environment: Readonly<Record<string, string | undefined>>,
  progress: (done: number, total: number, what: string) => void,
  signal: AbortSignal,
): Promise<HeaderLookup | undefined> {
  const { headers, 'bitcoin-rpc': rpc, explorer } = values;
  if (rpc !== undefined) urlOption(rpc, '--bitcoin-rpc');
  if (explorer !== undefined) urlOption(explorer, '--explorer');
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

interface ChainOptions {
  readonly 'chain-rpc'?: string | undefined;
  readonly 'chain-accounts'?: string | undefined;
}

/**
 * The Solana node that is asked, from --chain-rpc or, of a whole log, ASSAY_SOLANA_RPC; undefined where none is
 * named, or a file of accounts.
 */
async function solanaNode(
  { 'chain-rpc': rpc, 'chain-accounts': file }: ChainOptions,
  target: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (file !== undefined) return undefined;
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

/** The chain's accounts from a node, or where the options say; undefined where nothing is named. */
async function openChain(
  { 'chain-accounts': file }: ChainOptions,
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

/** Providers' addresses hold keys in their paths: what is wrong with one is not quoted. */
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

function askedNumber(
  index: string | undefined,
  period: string | undefined,
): AskedNumber | undefined {
  if (period !== undefined && !isDate(period)) {
    throw new UsageError('--period is a date YYYY-MM-DD');
  }
  return index === undefined && period === undefined ? undefined : { index, period };
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
      (files) => (files ? exportHostReader(server) : server),
      // It has been tried often enough: the verdict says why there is none.
      (error: unknown) => ({ live: true, get: () => Promise.reject(error) }),
    );
    return { subject: { kind: 'log', reader }, close: nothing };
  }
  let info;
  try {
    info = await stat(target);
  } catch {
    throw new UsageError(`${target} is no URL, folder or file`);
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
    // What comes of it after the deadline is put away again.
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
