import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { toHashHex } from '@assay/core/hash/hash';
import { isHex } from '@assay/core/bytes/hex';
import { systemClock } from '@assay/node/platform/clock';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Restored } from '@assay/node/restore/restore';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { lackingLines } from '../text/lacking-text.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { urlOption } from '../command/options.ts';
import { printableJson } from '../text/printable-json.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';

export const restoreHelp = `assay restore <data folder> --from SOURCE [--from SOURCE ...]

Brings a publisher's log back from others' copies: entries, tiles, kept bytes, openings and proofs,
each from whichever source has it, and from what is left in the folder. It takes the newest head
that witnesses, mirrors and sources know; each of them that has an address must show one. It derives
the views again, sets the head guard, has the verifier check the result, and only then puts it into
place. What was there is moved to set-aside-..., never deleted. The node must be stopped; a run that
was cut is run again. The log's keys must be there.

A SOURCE is the address of the log or of a mirror of it, an export, a backup, a recounter's folder
or the publisher/log in it, or another data folder. Of what the log published, only what stands
under a head that the log's own checkpoint key signed is taken. Files that nothing serves, such as
the config, are taken from a backup or a data folder of this log that has entries of it, the newest
first. Nothing proves what a config says, and whoever has read the log could make such a backup: the
result names each config file and its source. Read it before the node starts, or put your own
assay.json into the data folder first: what is there stays.

  --from SOURCE      may be given more than once
  --keys FOLDER      copy key files that the data folder lacks from there: a folder of keys, or a
                     backup that was made with --with-keys
  --config FILE      names the log's mirrors and witnesses (default: assay.json in the data folder)
  --mirror URL       one more place that serves a copy of the log; may be repeated
  --witness URL      one more witness of the log; may be repeated
  --log-id ID        the log's id, 64 hex digits: nothing else is taken
  --acknowledged N   how many entries are known to have been acknowledged, where the head guard is
                     gone; a log of as many or more has lost none, and gets no note
  --accept-loss      where entries were acknowledged and nobody holds them: write a note into the
                     log in their place, from which everybody knows that they are lost
  --unconfirmed      go on though a witness, a mirror or an address that is named shows no head, or
                     none is named: if more had been published than is found, that is a fork
  --accept-findings  go on though the verifier has findings in what the log published
  --json             what was brought back, and what was not, as JSON

Where a head that others hold covers entries that nobody has (head_lost), going on would be a fork:
assay init --succeeds FOLDER begins a log that names the old one and what is lost.

ASSAY_PASSPHRASE unlocks the key files. docs/runbook.md has each disaster step by step.
Exit code: 0 all was brought back, 1 the log was and bytes are missing, 2 usage, 3 not done.`;

export async function restoreCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      from: { type: 'string', multiple: true },
      keys: { type: 'string' },
      config: { type: 'string' },
      mirror: { type: 'string', multiple: true },
      witness: { type: 'string', multiple: true },
      'log-id': { type: 'string' },
      acknowledged: { type: 'string' },
      'accept-loss': { type: 'boolean' },
      unconfirmed: { type: 'boolean' },
      'accept-findings': { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const [data, ...rest] = positionals;
  if (data === undefined || rest.length > 0) throw new UsageError('restore takes a data folder');
  const from = values.from ?? [];
  if (from.length === 0) throw new UsageError('restore takes a source: --from');
  const { 'log-id': logId, acknowledged } = values;
  if (logId !== undefined && !isHex(logId, 32)) {
    throw new UsageError('--log-id is 64 lower-case hex digits');
  }
  if (acknowledged !== undefined && !/^[0-9]{1,15}$/.test(acknowledged)) {
    throw new UsageError('--acknowledged is a number of entries');
  }
  const root = resolve(data);
  const known = await holdersOf(root, values.config, environment);
  const mirrors = (values.mirror ?? []).map((url) => urlOption(url, '--mirror'));
  const witnesses = (values.witness ?? []).map((url) => ({ url: urlOption(url, '--witness') }));
  const [{ restore }, { fetchNote }] = await Promise.all([
    import('@assay/node/restore/restore'),
    import('@assay/node/witness/client/mirror-heads'),
  ]);
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const progress = slowProgress(terminal, () => performance.now());
  let restored: Restored;
  try {
    restored = await restore({
      data: root,
      from: from.map((each) => (/^https?:\/\//i.test(each) ? each : resolve(each))),
      mirrors: [...known.mirrors, ...mirrors],
      witnesses: [...known.witnesses, ...witnesses],
      fetchNote,
      keys: values.keys === undefined ? undefined : resolve(values.keys),
      passphrase: passphrase === '' ? undefined : passphrase,
      logId: logId === undefined ? undefined : toHashHex(logId),
      acknowledged: acknowledged === undefined ? undefined : Number(acknowledged),
      acceptLoss: values['accept-loss'] === true,
      unconfirmed: values.unconfirmed === true,
      acceptFindings: values['accept-findings'] === true,
      sha256: nodeSha256,
      now: systemClock,
      verify: (folder, vkey) =>
        verify({ kind: 'folder', folder }, policyFor(vkey), {
          environment: nodeEnvironment(progress.tell),
        }),
      progress: progress.tell,
    });
  } finally {
    progress.end();
  }
  if (values.json === true) terminal.out(printableJson(restored));
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

/** Who may hold heads of the log, as its config says; nobody where there is none. */
async function holdersOf(
  root: string,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
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
    ...lossWords(loss),
    ...(lost.length === 0
      ? ['Everything that the log names was brought back.']
      : ['Not brought back:', ...lost]),
    ...configWords(restored),
    '',
    `Next: assay node --config ${join(data, 'assay.json')}`,
  ];
}

function configWords({ sources }: Restored): readonly string[] {
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

function lossWords(loss: Restored['loss']): readonly string[] {
  if (loss === null) return [];
  const { from, to } = loss;
  const range = to === null ? `from ${from} on, if there were any` : `${from} to ${to - 1}`;
  return [`Entry ${from} is a note now: the entries ${range}, are lost, and it says so.`];
}
