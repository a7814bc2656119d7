import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, messageOf } from '@assay/core/fault';
import { MAX_BUNDLE_BYTES } from '@assay/core/bundle';
import { toHashHex } from '@assay/core/hash';
import { parseNoteKey } from '@assay/core/note';
import type { WireValue } from '@assay/core/wire';
import { nodeSha256 } from '@assay/node/node-sha256';
import { OPEN_POLICY, parsePolicy, type Policy } from '@assay/verifier/policy';
import type { Verdict } from '@assay/verifier/verdict';
import { type Subject, verify } from '@assay/verifier/verify';
import { openDataFolder } from '../data-reader.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { exportReader } from '../export-reader.ts';
import { httpReader } from '../http-reader.ts';
import { nodeEnvironment } from '../node-environment.ts';
import { defaultPinPath, pinFile } from '../pin-file.ts';
import { slowProgress, type Terminal } from '../terminal.ts';
import { verdictText } from '../verdict-text.ts';

export const verifyHelp = `assay verify <url | folder | bundle file>

Checks everything that a log publishes: hash chain, Merkle tree, checkpoint and report signatures,
rule hashes, every rule run again on the kept source bytes, and what the API serves.
A folder is a node's data at rest or a static export.

  --key VKEY      the log's checkpoint key; may be given more than once
  --log-id HEX    the log's id, the leaf hash of its first entry
  --policy FILE   a policy file (docs/policy.md) instead of --key and --log-id
  --strict        every signature line of the checkpoint must be by a named key
  --pins FILE     where first visits are pinned (default: ~/.local/state/assay/pins.json)
  --no-pin        look at no pins and leave none
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
      key: { type: 'string', multiple: true },
      'log-id': { type: 'string' },
      policy: { type: 'string' },
      strict: { type: 'boolean' },
      pins: { type: 'string' },
      'no-pin': { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const [target, ...rest] = positionals;
  if (target === undefined || rest.length > 0) throw new UsageError('verify takes one target');
  const named = values.key !== undefined || values['log-id'] !== undefined;
  if (values.policy !== undefined && named) {
    throw new UsageError('--policy stands instead of --key and --log-id');
  }
  const policy = await readPolicy(
    values.policy,
    values.key,
    values['log-id'],
    values.strict === true,
  );
  const pins =
    values['no-pin'] === true ? undefined : pinFile(values.pins ?? defaultPinPath(environment));
  const progress = slowProgress(terminal, () => performance.now());
  const options = {
    environment: nodeEnvironment(progress.tell),
    ...(pins === undefined ? {} : { pins: pins.lookup }),
  };
  const opened = await openTarget(target);
  let verdict: Verdict;
  try {
    verdict = await verify(opened.subject, policy, options);
  } finally {
    progress.end();
    await opened.close();
  }
  if (verdict.outcome === 'verified' && verdict.pin !== null) await pins?.remember(verdict.pin);
  if (values.json === true) terminal.out(JSON.stringify(verdict, null, 2));
  else for (const line of verdictText(verdict, terminal)) terminal.out(line);
  switch (verdict.outcome) {
    case 'verified':
      return EXIT.ok;
    case 'findings':
      return EXIT.findings;
    case 'incomplete':
      return EXIT.incomplete;
  }
}

async function readPolicy(
  file: string | undefined,
  keys: readonly string[] = [],
  logId: string | undefined,
  strict: boolean,
): Promise<Policy> {
  if (file !== undefined) {
    try {
      const value = JSON.parse(await readFile(file, 'utf8')) as WireValue;
      const policy = parsePolicy(nodeSha256, value);
      return { ...policy, strict: policy.strict || strict };
    } catch (error) {
      throw new UsageError(`the policy file ${file} cannot be read: ${messageOf(error)}`);
    }
  }
  try {
    for (const key of keys) parseNoteKey(nodeSha256, key);
    const log_id = logId === undefined ? null : toHashHex(logId);
    return { ...OPEN_POLICY, checkpoint_keys: keys, log_id, strict };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

interface OpenTarget {
  readonly subject: Subject;
  readonly close: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

async function openTarget(target: string): Promise<OpenTarget> {
  if (/^https?:\/\//.test(target)) {
    return { subject: { kind: 'log', reader: httpReader(target) }, close: nothing };
  }
  let info;
  try {
    info = await stat(target);
  } catch {
    throw new UsageError(`${target} is no URL, folder or file`);
  }
  if (!info.isDirectory()) {
    if (info.size > MAX_BUNDLE_BYTES) {
      throw new Fault('too_large', 'bundle', { at: target, expected: `${MAX_BUNDLE_BYTES} bytes` });
    }
    const bytes = new Uint8Array(await readFile(target));
    return { subject: { kind: 'bundle', bytes }, close: nothing };
  }
  if (await isFile(join(target, 'checkpoint'))) {
    return { subject: { kind: 'log', reader: exportReader(target) }, close: nothing };
  }
  if (!(await isFolder(join(target, 'ledger')))) {
    throw new UsageError(`${target} holds neither a node's data nor an export`);
  }
  const { folder, close } = await openDataFolder(target);
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
