import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import { isHex } from '@assay/core/bytes/hex';
import { MOST_IN_MEMORY, TemporaryRows } from '@assay/node/ledger/scratch/temporary-rows';
import { systemClock } from '@assay/node/platform/clock';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Restored } from '@assay/node/restore/restore';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { lackingLines } from '../text/lacking-text.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { entryCount, serverUrl } from '../command/options.ts';
import { printableJson } from '../text/printable-json.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';

const OPTIONS = {
  from: option('SOURCE', { many: true, required: true })`
    A source of copies: the address of the log or of a mirror of it, an export, a backup, a
    recounter's folder or the folder publisher/log in it, or another data folder.`,
  keys: option('FOLDER')`
    Copy the key files that the data folder lacks from here: from a folder of keys, or from a
    backup that was made with --with-keys.`,
  config: option('FILE')`
    A configuration, which names the log's mirrors and witnesses. The default is assay.json in the
    data folder.`,
  mirror: option('URL', { many: true, parse: serverUrl })`
    Another place that serves a copy of the log.`,
  witness: option('URL', { many: true, parse: serverUrl })`
    Another witness of the log.`,
  logId: option('HEX', { parse: logId })`
    The id of the log, 64 hex digits. Nothing of another log is taken.`,
  acknowledged: option('N', { parse: entryCount })`
    How many entries are known to have been acknowledged, for the case that the head guard is
    gone. A log of as many entries or more has lost none, and gets no note.`,
  acceptLoss: flag`
    Go on where entries were acknowledged and nobody holds them. A note in the log takes their
    place, so that everybody can see that they are lost.`,
  unconfirmed: flag`
    Go on although a witness, a mirror or an address that is named shows no head, or although none
    is named. If more had been published than is found, the result is a fork.`,
  acceptFindings: flag`
    Go on although the verifier has findings in what the log published.`,
  json: flag`
    Print what was brought back, and what was not, as JSON.`,
} as const;

export const restoreCommand: Command = command({
  name: 'restore',
  summary: 'Bring the log of a publisher back from the copies of others.',
  about: `Brings back entries, tiles, kept bytes, openings and proofs, each from whichever source has it, and from what is left in the data folder. It takes the newest head that witnesses, mirrors and sources know, and each of them that has an address must show one. It derives the views again, sets the head guard, has the verifier check the result, and only then puts it into place. What was there is moved to a folder set-aside-..., and never deleted. The node must be stopped, and the keys of the log must be there. A run that was cut short is run again.

    Of what the log published, the command takes only what stands under a head that the checkpoint key of the log has signed. Files that nothing serves, such as the configuration, are taken from a backup, or from a data folder of this log that has entries of it, the newest first. Nothing proves what a configuration says, and whoever has read the log could make such a backup. The result therefore names each configuration file and its source. Read it before the node starts, or put your own assay.json into the data folder first: a file that is there stays.

    Where a head that others hold covers entries that nobody has (head_lost), going on would be a fork. Then assay init --succeeds FOLDER begins a log that names the old one and what is lost. docs/runbook.md has each disaster step by step.`,
  operands: { data: { value: 'DATA', about: 'The data folder to bring the log back into.' } },
  options: OPTIONS,
  variables: { ASSAY_PASSPHRASE: 'Unlocks the key files.' },
  exits: { 0: 'All was brought back.', 1: 'The log was brought back, and some bytes are missing.' },
  examples: {
    'assay restore data --from /mnt/backup --from https://mirror.example.net':
      'Bring a log back from a backup and from a mirror.',
  },
  run: restoreLog,
});

function logId(text: string, name: string): HashHex {
  if (!isHex(text, 32)) throw new UsageError(`${name} is 64 lower-case hex digits`);
  return toHashHex(text);
}

async function restoreLog(
  given: Given<typeof OPTIONS> & { readonly data: string },
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { data } = given;
  const root = resolve(data);
  const known = await holdersOf(root, given.config, environment);
  const [{ restore }, { fetchNote }] = await Promise.all([
    import('@assay/node/restore/restore'),
    import('@assay/node/witness/client/mirror-heads'),
  ]);
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const progress = slowProgress(terminal, () => performance.now());
  const rows = new TemporaryRows(nodeSha256);
  let restored: Restored;
  try {
    restored = await restore({
      data: root,
      from: given.from.map((each) => (/^https?:\/\//i.test(each) ? each : resolve(each))),
      mirrors: [...known.mirrors, ...given.mirror],
      witnesses: [...known.witnesses, ...given.witness.map((url) => ({ url }))],
      fetchNote,
      keys: given.keys === undefined ? undefined : resolve(given.keys),
      passphrase: passphrase === '' ? undefined : passphrase,
      logId: given.logId,
      acknowledged: given.acknowledged,
      acceptLoss: given.acceptLoss,
      unconfirmed: given.unconfirmed,
      acceptFindings: given.acceptFindings,
      sha256: nodeSha256,
      now: systemClock,
      verify: (folder, vkey) =>
        verify({ kind: 'folder', folder }, policyFor(vkey), {
          environment: { ...nodeEnvironment(progress.tell), rowStore: rows.make },
          limits: { folded_bytes: MOST_IN_MEMORY },
        }),
      progress: progress.tell,
    });
  } finally {
    progress.end();
    await rows.drop();
  }
  if (given.json) terminal.out(printableJson(restored));
  else for (const line of words(data, restored)) terminal.out(line);
  const { blobs, openings, tick_openings: ticks, files } = restored.lacking;
  return blobs.length + openings.length + ticks.length + files.length === 0
    ? EXIT.ok
    : EXIT.findings;
}

function policyFor(vkey: string): Policy {
  return { ...OPEN_POLICY, checkpoint_keys: [vkey] };
}

interface Holders {
  readonly mirrors: readonly string[];
  readonly witnesses: readonly { readonly url: string }[];
}

/** The places that may hold heads of the log, from its configuration; none if there is none. */
async function holdersOf(
  root: string,
  given: string | undefined,
  environment: Environment,
): Promise<Holders> {
  const path = given ?? join(root, 'assay.json');
  const isThere = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isThere && given === undefined) return { mirrors: [], witnesses: [] };
  const { readConfig } = await import('@assay/node/production/config');
  return readConfig(resolve(path), environment);
}

function words(data: string, restored: Restored): readonly string[] {
  const { origin, log, size, root, sources, heads, silent, loss, blobs, openings } = restored;
  const { lacking, aside, completed, verdict } = restored;
  const lost = [
    ...(lacking.blobs.length === 0 ? [] : [`${lacking.blobs.length} blobs that nobody has:`]),
    ...lackingLines(lacking.blobs),
    ...lacking.openings.map((each) => `  ${each}  the opening of a withheld level`),
    ...lacking.tick_openings.map((each) => `  ${each}  what opens the ticks of a day`),
    ...lacking.files.map(({ path, reason }) => `  ${path}  ${reason}`),
  ];
  return [
    `${data}: ${size} entries of ${origin}${completed ? ', from a run that was cut' : ''}`,
    `  log id   ${log}`,
    `  root     ${root}`,
    ...sources.map(({ name, kind, size: shown, entries, files, faults }) => {
      const head = shown === null ? 'no head of the log' : `a head of ${shown}`;
      const taken = files === 0 ? '' : `, ${files} files taken that nothing serves`;
      const fault = faults.length === 0 ? '' : `; ${faults.join('; ')}`;
      return `  from     ${name} (${kind ?? 'not opened'}): ${head}, ${entries} entries taken${taken}${fault}`;
    }),
    ...heads.map(({ holder, size: held }) => `  known    ${holder}: ${held}`),
    ...silent.map(({ holder, reason }) => `  silent   ${holder}: ${reason}`),
    `  blobs    ${blobs.there} there, ${blobs.restored} brought back`,
    `  openings ${openings.there} there, ${openings.restored} brought back`,
    `  verified ${verdict.outcome === 'verified' ? 'yes' : `with ${verdict.findings} findings`}`,
    ...(aside === null ? [] : [`  before   what was there lies in ${join(data, aside)}`]),
    ...lossText(loss),
    ...(lost.length === 0
      ? ['Everything that the log names was brought back.']
      : ['Not brought back:', ...lost]),
    ...configText(restored),
    '',
    `Next: assay node --config ${join(data, 'assay.json')}`,
  ];
}

function configText({ sources }: Restored): readonly string[] {
  const lines = sources.flatMap(({ name, config }) =>
    config.map((path) => `  ${path}  came from ${name}`),
  );
  if (lines.length === 0) return [];
  return [
    'Read these before you start the node. It does what they say, with your keys, and nothing proves',
    'that you wrote them:',
    ...lines,
  ];
}

function lossText(loss: Restored['loss']): readonly string[] {
  if (loss === null) return [];
  const { from, to } = loss;
  const range = to === null ? `from ${from} on, if there were any` : `${from} to ${to - 1}`;
  return [`Entry ${from} is a note now: the entries ${range}, are lost, and it says so.`];
}
