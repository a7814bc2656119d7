import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import type { NamedHost } from '@assay/node/recounter/rule-hosts';
import { command, type Environment, type Given, group, type Group } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { originName, serverUrl } from '../command/options.ts';
import { CLOSE_MS, closeOrExit } from '../process/closing.ts';
import { untilStopped } from '../process/stop.ts';
import type { Terminal } from '../command/tty.ts';

const INIT_OPTIONS = {
  publisher: option('URL', { required: true, parse: serverUrl })`
    The address of the publisher's service.`,
  checkpointVkey: option('KEY', { required: true })`
    The key of the publisher's checkpoints, as it has published it.`,
  logId: option('HEX', { parse: logIdHex })`
    The id of the publisher's log, 64 hex digits. Without it the first log that the key signs is
    taken, and no other from then on.`,
  origin: option('NAME', { required: true, parse: originName })`
    A host and a path that name the recounter's own log for good, such as example.org/recount.
    Begin it with development/ for a log for trials.`,
  name: option('NAME', { required: true, parse: operatorName })`
    Who runs it, for people.`,
  contact: option('ADDRESS', { required: true, parse: contactAddress })`
    An e-mail address or a page that sources may complain to.`,
} as const;

const initCommand = command({
  name: 'recount init',
  summary: 'Make the keys, the log and the configuration of a recounter.',
  about: `Makes five keys, a log with its first entry, and the file recount.json in the folder. It says what to give to the publisher, and which hosts the publisher's rules ask. None of those hosts is asked before you confirm it in the configuration.`,
  operands: { folder: { value: 'FOLDER', about: 'An empty or a new folder.' } },
  options: INIT_OPTIONS,
  variables: { ASSAY_PASSPHRASE: 'Locks the key files.' },
  examples: {
    "assay recount init recount --publisher https://index.example.org --checkpoint-vkey 'index.example.org/assay+0a1b2c3d+AbCd' --origin example.net/recount --name 'Example Recounts' --contact data@example.net":
      "Prepare to recount a publisher's numbers.",
  },
  run: init,
});

const runCommand = command({
  name: 'recount run',
  summary: 'Run a recounter until it is stopped.',
  about:
    'Runs a recounter until it is stopped. docs/recount.md explains every field of its configuration.',
  operands: {
    config: { value: 'FILE', about: 'The configuration that recount init wrote.', optional: true },
  },
  options: {},
  variables: {
    ASSAY_CONFIG: 'The configuration, where FILE is not given.',
    'ASSAY_DATA, ASSAY_PORT': 'Override fields of the configuration.',
    ASSAY_PASSPHRASE: 'Unlocks the key files.',
    ASSAY_SECRET_NAME: 'Fills in {secret:NAME} in the requests of a rule, for any NAME.',
  },
  exits: { 0: 'The recounter was stopped.' },
  examples: {
    'assay recount run recount/recount.json': 'Run a recounter.',
  },
  run: ({ config }, terminal, environment) => run(config, terminal, environment),
});

export const recountCommand: Group = group({
  name: 'recount',
  summary: "Recount a publisher's numbers, and be its witness and mirror.",
  about: `A recounter follows the log of a publisher, reads the sources itself, counts every report again, and writes what it found into a log of its own. It is a witness and a mirror of the publisher's log too.`,
  commands: [initCommand, runCommand],
});

function logIdHex(text: string, name: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new UsageError(`${name} is 64 lower-case hex digits`);
}

/** A co-signer's name in a publisher's set. */
function operatorName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(text)) return text;
  throw new UsageError('a name is 1 to 64 letters, digits, spaces, dots, underscores, hyphens');
}

function contactAddress(text: string): string {
  if (/^[!-'*-[\]-~]{1,200}$/.test(text)) return text;
  throw new UsageError('a contact is visible ASCII, such as data@example.org');
}

type InitOptions = Given<typeof INIT_OPTIONS> & { readonly folder: string };

async function init(
  options: InitOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const root = resolve(options.folder);
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
    parseNoteKey(nodeSha256, options.checkpointVkey);
  } catch {
    throw new UsageError('--checkpoint-vkey is a verifier key: NAME+8 hex digits+base64');
  }
  const { origin } = options;
  const passphrase = passphraseOf(environment);
  const made = await initRecounter(root, nodeSha256, systemClock, {
    origin,
    passphrase,
    policies: NO_POLICIES,
  });
  const folder = recounterFolder(root);
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
      ? ['The keys are not locked, but only you can read them: ASSAY_PASSPHRASE would lock them.']
      : []),
    '',
    `Next: assay recount run ${config}`,
  ]) {
    terminal.out(line);
  }
  return EXIT.ok;
}

/** What the publisher's rules ask, or why that is not known. */
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
      `The publisher's rules could not be read: ${hosts.reason}.`,
      'List the hosts that they may have you ask in source_hosts; /status names those that wait.',
    ];
  }
  if (hosts.named.length === 0) return ['The publisher has no rules in force that name a host.'];
  return [
    "The publisher's rules ask these hosts, as it claims. None is asked yet: check each, and",
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
  const { publisher, checkpointVkey: vkey, logId = null, name, contact } = options;
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
  given: string | undefined,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const path = given ?? environment['ASSAY_CONFIG'];
  if (path === undefined) throw new UsageError('FILE is missing');
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
