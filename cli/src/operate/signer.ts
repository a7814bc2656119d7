import { resolve } from 'node:path';
import type { HsmTerms } from '@assay/node/signer/signer-terms';
import { command, type Environment, group, type Group } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { closeOrExit } from '../process/closing.ts';
import { untilStopped } from '../process/stop.ts';
import type { Terminal } from '../command/tty.ts';

const FOLDER = { value: 'FOLDER', about: 'The folder of the signer.' } as const;

/** Milliseconds for the questions that are under way when the signer is stopped. */
const CLOSE_MS = 5000;

const initCommand = command({
  name: 'signer init',
  summary: 'Make the folder of a signer from the data folder of a stopped node.',
  about: `Makes what a signer has to know of a log: its head, and each print and Close that it has, so that the signer never signs another one in their places. Where there are no labels of an HSM, it says which key files to move.

    The data folder has to be that of the whole log: what it lacks the signer cannot know. docs/keys.md describes the move.`,
  operands: {
    data: { value: 'DATA', about: 'The data folder of the log, whose node is stopped.' },
    folder: FOLDER,
  },
  options: {
    hsmModule: option('FILE')`The PKCS#11 library of an HSM.`,
    hsmToken: option('LABEL')`The label of the token in it.`,
    hsmCheckpoint: option('LABEL')`The label of the checkpoint key on the token.`,
    hsmReport: option('LABEL', { many: true })`The label of a report key on the token.`,
  },
  examples: {
    'assay signer init data /var/lib/assay-signer': 'Prepare a signer for the log in data.',
  },
  run: ({ data, folder, ...hsm }, terminal) => init(resolve(data), resolve(folder), hsm, terminal),
});

const runCommand = command({
  name: 'signer run',
  summary: 'Hold the keys of a log, and sign what may be signed.',
  about: `Runs until it is stopped. It answers the node over a Unix socket: the one that systemd passes on, or signer.sock in its folder, which only its own user can reach.

    It signs a checkpoint only if the newest one that it signed is a part of it, and each print and Close once. What was signed is on the disk before the signature leaves.`,
  operands: { folder: FOLDER },
  options: {},
  variables: {
    ASSAY_PASSPHRASE: 'Unlocks the key files.',
    ASSAY_HSM_PIN: 'The PIN of the token, where keys are in an HSM.',
    ASSAY_PKCS11JS:
      'A folder in which the npm package pkcs11js is installed, where it is not beside Assay.',
  },
  exits: { 0: 'The signer was stopped.' },
  examples: { 'assay signer run /var/lib/assay-signer': 'Sign for the node of this machine.' },
  run: ({ folder }, terminal, environment) => run(resolve(folder), terminal, environment),
});

const releaseCommand = command({
  name: 'signer release',
  summary: 'Let something be signed again in a place, once.',
  about: `Makes a signer forget what it signed in one place, such as print/LAYOFFS/2026-07-25/end. It is for a report that was signed and never reached the log, because the node ended in that moment and came back too late. The signature may be in somebody's hands: two prints of one period are evidence against the publisher. Without --yes the command only says what it would do.`,
  operands: {
    folder: { ...FOLDER, about: 'The folder of the signer, which is stopped.' },
    place: { value: 'PLACE', about: 'The place, as the error signed_otherwise names it.' },
  },
  options: { yes: flag`Forget it.` },
  examples: {
    'assay signer release /var/lib/assay-signer print/LAYOFFS/2026-07-25/end':
      'See whether anything was signed there.',
  },
  run: ({ folder, place, yes }, terminal) => release(resolve(folder), place, yes, terminal),
});

export const signerCommand: Group = group({
  name: 'signer',
  summary: 'Hold the keys of a log in a process of their own.',
  about:
    'A signer holds the report key and the checkpoint key of a log, in files or in an HSM, and remembers what it must not sign twice. docs/keys.md describes it.',
  commands: [initCommand, runCommand, releaseCommand],
});

interface HsmOptions {
  readonly hsmModule: string | undefined;
  readonly hsmToken: string | undefined;
  readonly hsmCheckpoint: string | undefined;
  readonly hsmReport: readonly string[];
}

function hsmOf(given: HsmOptions): HsmTerms | null {
  const {
    hsmModule: module,
    hsmToken: token,
    hsmCheckpoint: checkpoint,
    hsmReport: report,
  } = given;
  const hasKeys = checkpoint !== undefined || report.length > 0;
  if (module === undefined && token === undefined && !hasKeys) return null;
  if (module === undefined || token === undefined || !hasKeys) {
    throw new UsageError('an HSM needs --hsm-module, --hsm-token and the label of a key');
  }
  return { module: resolve(module), token, checkpoint: checkpoint ?? null, report };
}

async function init(
  data: string,
  root: string,
  given: HsmOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const hsm = hsmOf(given);
  const [{ makeSigner }, { signerFolder }, { dataFolder }, { nodeSha256 }] = await Promise.all([
    import('@assay/node/signer/make-signer'),
    import('@assay/node/signer/signer-terms'),
    import('@assay/node/platform/data-folder'),
    import('@assay/node/platform/node-sha256'),
  ]);
  const folder = signerFolder(root);
  const made = await makeSigner(nodeSha256, dataFolder(data), folder, hsm);
  const { size, prints, closes, reportKey, terms } = made;
  terminal.out(`A signer for ${terms.origin} is in ${root}.`);
  terminal.out(`  it signs nothing below ${size} entries`);
  terminal.out(`  it knows ${prints} prints and ${closes} Closes`);
  terminal.out('');
  const files = [
    ...(hsm?.checkpoint == null ? ['checkpoint.json'] : []),
    ...(hsm === null || hsm.report.length === 0 ? ['report.json'] : []),
  ];
  if (files.length > 0) {
    terminal.out(`Move ${files.join(' and ')} from ${data}/keys to ${folder.keys},`);
    terminal.out('with mode 0600, and with the user of the signer as their owner.');
  }
  terminal.out(`The report key in force is ${reportKey}.`);
  terminal.out(`Then start assay signer run ${root}, and set "signer" in the config of the node.`);
  return EXIT.ok;
}

async function run(root: string, terminal: Terminal, environment: Environment): Promise<ExitCode> {
  const [{ runSigner }, { inheritedSocket }, { signerFolder }, { nodeSha256 }, { makeLogger }] =
    await Promise.all([
      import('@assay/node/signer/run-signer'),
      import('@assay/node/signer/signer-server'),
      import('@assay/node/signer/signer-terms'),
      import('@assay/node/platform/node-sha256'),
      import('@assay/node/production/logger'),
    ]);
  const folder = signerFolder(root);
  const place = inheritedSocket(environment, process.pid);
  const running = await runSigner({
    folder,
    sha256: nodeSha256,
    passphrase: environment['ASSAY_PASSPHRASE'] || undefined,
    place,
    openHsm: async (terms) => {
      const { openHsmKeys } = await import('@assay/node/signer/hsm-keys');
      return openHsmKeys(
        terms,
        environment['ASSAY_HSM_PIN'] || undefined,
        environment['ASSAY_PKCS11JS'] || undefined,
      );
    },
    log: makeLogger('info'),
  });
  terminal.out(place === undefined ? `signing at ${folder.socket}` : 'signing at the given socket');
  await untilStopped(() => closeOrExit('signer', running.close, CLOSE_MS, terminal), terminal);
  return EXIT.ok;
}

async function release(
  root: string,
  place: string,
  yes: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  if (!/^(?:print|close|endorsed)\/.+$/.test(place)) {
    throw new UsageError('PLACE begins with print/, close/ or endorsed/');
  }
  const [{ SigningMemory }, { signerFolder }, { nodeSha256 }] = await Promise.all([
    import('@assay/node/signer/signing-memory'),
    import('@assay/node/signer/signer-terms'),
    import('@assay/node/platform/node-sha256'),
  ]);
  const memory = await SigningMemory.open(nodeSha256, signerFolder(root).memory);
  try {
    const at = place as Parameters<typeof memory.signedAt>[0];
    const signed = await memory.signedAt(at);
    if (signed === undefined) {
      terminal.out(`Nothing was signed at ${place}.`);
      return EXIT.ok;
    }
    terminal.out(`At ${place} the message of sha256 ${signed} was signed.`);
    if (!yes) {
      terminal.out('Nothing was changed. Add --yes to let another one be signed there.');
      return EXIT.ok;
    }
    await memory.forget(at);
    terminal.out('It is forgotten: the next one that is asked for there is signed.');
    return EXIT.ok;
  } finally {
    await memory.close();
  }
}
