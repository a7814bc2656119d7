import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, messageOf } from '@assay/core/fault';
import type { NamedHost } from '@assay/node/recounter/rule-hosts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { urlOption } from '../command/options.ts';
import { CLOSE_MS, closeOrExit } from '../process/closing.ts';
import { untilStopped } from '../process/stop.ts';
import type { Terminal } from '../command/tty.ts';

export const recountHelp = `assay recount init FOLDER --publisher URL --checkpoint-vkey KEY [--log-id ID]
                          --origin NAME --name NAME --contact ADDRESS
assay recount run CONFIG

A recounter follows a publisher's log, reads the sources itself, recounts every report, and says
what it found in a log of its own; it is a witness and a mirror of the publisher's log too.

init  makes five keys, its own log with entry 0, and FOLDER/recount.json, and says what to give
      to the publisher, and which hosts its rules ask: none is asked before you confirm it
run   runs it until it is stopped

  FOLDER                 an empty or new folder
  --publisher URL        address of the publisher's service
  --checkpoint-vkey KEY  the key of its log's checkpoints, as it has published it
  --log-id ID            its log's id, 64 hex digits; without it the first log that the key signs is
                         taken, and held to from then on
  --origin NAME          host and path that names the recounter's own log for good, such as
                         example.org/recount; begin it with development/ for a log for trials
  --name NAME            who runs it, for people
  --contact ADDRESS      e-mail address or page that sources may complain to

docs/recount.md has every field of the config and the rest. Variables override some: ASSAY_DATA,
ASSAY_PORT. ASSAY_PASSPHRASE locks the key files at init and unlocks them at run; ASSAY_SECRET_NAME
fills in {secret:NAME} in a rule's request. ASSAY_CONFIG stands for CONFIG.`;

type Environment = Readonly<Record<string, string | undefined>>;

export async function recountCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const [task, ...rest] = args;
  if (task === 'init') return init(rest, terminal, environment);
  if (task === 'run') return run(rest, terminal, environment);
  throw new UsageError(`recount takes init or run, not ${task ?? 'nothing'}`);
}

interface InitOptions {
  readonly folder: string;
  readonly publisher: string;
  readonly vkey: string;
  readonly logId: string | null;
  readonly origin: string;
  readonly name: string;
  readonly contact: string;
}

async function init(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const options = initOptions(args);
  const [
    { initRecounter },
    { recounterFolder, recounterKeyPath },
    { NO_POLICIES },
    { nodeSha256 },
    { systemClock },
    { readPublicKey },
    { formatNoteKey, NOTE_COSIGNATURE, parseNoteKey },
  ] = await Promise.all([
    import('@assay/node/recounter/recounter-data'),
    import('@assay/node/recounter/recounter-folder'),
    import('@assay/node/data/init'),
    import('@assay/node/platform/node-sha256'),
    import('@assay/node/platform/clock'),
    import('@assay/node/key/keystore'),
    import('@assay/core/log/note'),
  ]);
  try {
    parseNoteKey(nodeSha256, options.vkey);
  } catch {
    throw new UsageError('--checkpoint-vkey is a verifier key: NAME+8 hex digits+base64');
  }
  const { origin } = options;
  const passphrase = passphraseOf(environment);
  const made = await initRecounter(options.folder, nodeSha256, systemClock, {
    origin,
    passphrase,
    policies: NO_POLICIES,
  });
  const folder = recounterFolder(options.folder);
  const witness = await readPublicKey(recounterKeyPath(folder, 'witness'));
  const config = join(folder.root, 'recount.json');
  const hosts = await namedHosts(options.publisher);
  await writeConfig(config, options, 'named' in hosts ? hosts.named : []);
  for (const line of [
    `A new recounter: ${options.name}, with the log ${origin}`,
    `  log id          ${made.log}`,
    `  checkpoint key  ${made.checkpointVkey}`,
    `  witness key     ${formatNoteKey(nodeSha256, origin, witness, NOTE_COSIGNATURE)}`,
    `  config          ${config}`,
    '',
    'For the publisher, to name you in its set of co-signers:',
    `  ${JSON.stringify({ name: options.name, key: made.key })}`,
    'and the witness key with your address, to ask you for cosignatures. The log id and the checkpoint',
    'key are for your readers.',
    '',
    ...hostLines(hosts),
    '',
    `Move ${recounterKeyPath(folder, 'recovery')} and ${recounterKeyPath(folder, 'next')}`,
    'to a place that is not this machine, and keep a copy of the other keys.',
    ...(passphrase === undefined
      ? ['The keys lie unlocked, readable by you alone: ASSAY_PASSPHRASE would lock them.']
      : []),
    '',
    `Next: assay recount run ${config}`,
  ]) {
    terminal.out(line);
  }
  return EXIT.ok;
}

function initOptions(args: readonly string[]): InitOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      publisher: { type: 'string' },
      'checkpoint-vkey': { type: 'string' },
      'log-id': { type: 'string' },
      origin: { type: 'string' },
      name: { type: 'string' },
      contact: { type: 'string' },
    },
  });
  const { publisher, 'checkpoint-vkey': vkey, 'log-id': logId, origin, name, contact } = values;
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new UsageError('init takes one folder');
  if (
    publisher === undefined ||
    vkey === undefined ||
    origin === undefined ||
    name === undefined ||
    contact === undefined
  ) {
    throw new UsageError(
      'init takes --publisher, --checkpoint-vkey, --origin, --name and --contact',
    );
  }
  if (logId !== undefined && !/^[0-9a-f]{64}$/.test(logId)) {
    throw new UsageError('--log-id is 64 lower-case hex digits');
  }
  if (!/^[a-z0-9][a-z0-9./-]{0,127}$/.test(origin)) {
    throw new UsageError('an origin is small letters, digits, dots, slashes and hyphens');
  }
  // A co-signer's name in a publisher's set.
  if (!/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(name)) {
    throw new UsageError('a name is 1 to 64 letters, digits, spaces, dots, underscores, hyphens');
  }
  if (!/^[!-'*-[\]-~]{1,200}$/.test(contact)) {
    throw new UsageError('a contact is visible ASCII, such as data@example.org');
  }
  return {
    folder: resolve(folder),
    publisher: urlOption(publisher, '--publisher'),
    vkey,
    logId: logId ?? null,
    origin,
    name,
    contact,
  };
}

/** What the publisher's rules ask, or why nobody could say. */
type Hosts = { readonly named: readonly NamedHost[] } | { readonly reason: string };

async function namedHosts(publisher: string): Promise<Hosts> {
  const [{ hostsOfRules }, { httpLogReader }, { nodeSha256 }] = await Promise.all([
    import('@assay/node/recounter/rule-hosts'),
    import('@assay/node/mirror/http-log-reader'),
    import('@assay/node/platform/node-sha256'),
  ]);
  try {
    return { named: await hostsOfRules(httpLogReader(publisher), nodeSha256) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { reason: messageOf(error) };
  }
}

function hostLines(hosts: Hosts): readonly string[] {
  if ('reason' in hosts) {
    return [
      `The publisher's rules could not be had: ${hosts.reason}.`,
      'List the hosts that they may have you ask in source_hosts; /status names those that wait.',
    ];
  }
  if (hosts.named.length === 0) return ['The publisher has no rules in force that name a host.'];
  return [
    "The publisher's rules ask these hosts, by its own word. None is asked yet: look at each, and",
    'take the ? before it away in source_hosts of the config, or the line.',
    ...hosts.named.map(({ host, indices }) => `  ${host}  ${indices.join(' ')}`),
  ];
}

async function writeConfig(
  path: string,
  options: InitOptions,
  named: readonly NamedHost[],
): Promise<void> {
  const { UNCONFIRMED } = await import('@assay/node/recounter/recounter-config');
  const { publisher, vkey, logId, name, contact } = options;
  const config = {
    publisher: { url: publisher, checkpoint_vkey: vkey, log_id: logId },
    data: '.',
    name,
    contact,
    host: '127.0.0.1',
    port: 8788,
    source_hosts: named.map(({ host }) => `${UNCONFIRMED}${host}`),
  };
  try {
    await writeFile(path, `${JSON.stringify(config, null, 2)}\n`, { flag: 'wx' });
  } catch (cause) {
    throw new Fault('not_empty', 'config file', { at: path, expected: 'no file there', cause });
  }
}

async function run(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const [path = environment['ASSAY_CONFIG'], ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('run takes one config file');
  const [{ readRecounterConfig }, { startRecounterFromConfig }, { makeLogger }] = await Promise.all(
    [
      import('@assay/node/recounter/recounter-config'),
      import('@assay/node/recounter/recounter-production'),
      import('@assay/node/production/logger'),
    ],
  );
  const config = await readRecounterConfig(path, environment);
  const recounter = await startRecounterFromConfig(
    config,
    environment,
    makeLogger(config.log_level),
  );
  terminal.out(`http://${config.host}:${recounter.port} by ${recounter.transport}`);
  await untilStopped(() => closeOrExit('recount', recounter.close, CLOSE_MS, terminal), terminal);
  return EXIT.ok;
}

function passphraseOf(environment: Environment): string | undefined {
  const passphrase = environment['ASSAY_PASSPHRASE'];
  return passphrase === '' ? undefined : passphrase;
}
