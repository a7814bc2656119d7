import type { Checkpoint } from '@assay/core/log/checkpoint';
import type { Config } from '@assay/node/production/config';
import type { ObjectsConfig } from '@assay/node/objects/objects-config';
import { command, type Environment, group, type Group } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { option } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';

const CONFIG = option('FILE')`
  The configuration of the node, which has a bucket under "objects".`;
const VARIABLES = {
  ASSAY_CONFIG: 'The configuration, where --config is not given.',
  'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN':
    'The credentials of the bucket, where the configuration names no file.',
};

const probeCommand = command({
  name: 'objects probe',
  summary: 'Find out whether a log can be kept in a bucket.',
  about: `Tries whether the store keeps the conditions of writes: it creates an object twice, swaps with wrong tags, swaps an object that is not there, and lets several writers race. What it writes, under probe/ in the bucket, it removes again. A store that lets two writers win is refused (objects_unsafe), with a sentence that says what it did. The node makes the same probe before its first write.`,
  operands: {},
  options: { config: CONFIG },
  variables: VARIABLES,
  exits: { 0: 'The store keeps the conditions.', 3: 'It does not, or it could not be tried.' },
  examples: { 'assay objects probe --config assay.json': 'Try a store before it is used.' },
  run: async ({ config }, terminal, environment) => probe(config, terminal, environment),
});

const statusCommand = command({
  name: 'objects status',
  summary: 'Show how far the copy in a bucket is.',
  about: `Shows the log, the size and the root that the checkpoint in the bucket names. The node may run. Signatures are not checked: assay verify does that, at the address of a host that serves the bucket.`,
  operands: {},
  options: { config: CONFIG },
  variables: VARIABLES,
  exits: { 0: 'There is a checkpoint.', 3: 'There is none, or it could not be read.' },
  examples: { 'assay objects status --config assay.json': 'Look at a bucket.' },
  run: async ({ config }, terminal, environment) => status(config, terminal, environment),
});

const syncCommand = command({
  name: 'objects sync',
  summary: 'Bring the bucket of a stopped node to its newest checkpoint.',
  about: `Copies what the bucket lacks, in the order in which a running node does it: what never changes first, the checkpoint last. A running node does this by itself.

    The node must be stopped. A checkpoint in the bucket that is larger than the log, or of another history, is left as it is, and nothing is written.`,
  operands: {},
  options: { config: CONFIG },
  variables: { ...VARIABLES, ASSAY_PASSPHRASE: 'Unlocks the key files.' },
  exits: { 0: 'The bucket has what was published.' },
  examples: { 'assay objects sync --config assay.json': 'Bring a bucket up to date.' },
  run: async ({ config }, terminal, environment) => sync(config, terminal, environment),
});

export const objectsCommand: Group = group({
  name: 'objects',
  summary: 'Look after the copy of a log in a bucket.',
  about:
    'Works on the copy of a log in a bucket of an S3-compatible store. docs/objects.md has the whole of it.',
  commands: [probeCommand, statusCommand, syncCommand],
});

async function configOf(
  given: string | undefined,
  environment: Environment,
): Promise<{ readonly config: Config; readonly objects: ObjectsConfig }> {
  const path = given ?? environment['ASSAY_CONFIG'];
  if (path === undefined) throw new UsageError('the option --config FILE is missing');
  const { readConfig } = await import('@assay/node/production/config');
  const config = await readConfig(path, environment);
  if (config.objects === null) throw new UsageError(`${path} has no bucket under "objects"`);
  return { config, objects: config.objects };
}

async function probe(
  given: string | undefined,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { objects } = await configOf(given, environment);
  const [{ openBucket }, { probeConditions }] = await Promise.all([
    import('@assay/node/objects/objects-config'),
    import('@assay/node/objects/probe'),
  ]);
  await probeConditions(openBucket(objects, environment));
  terminal.out(`The store of the bucket ${objects.bucket} keeps the conditions of writes.`);
  return EXIT.ok;
}

async function status(
  given: string | undefined,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { objects } = await configOf(given, environment);
  const [{ openBucket }, { MAX_NOTE_BYTES, parseNote }, { parseCheckpoint }, { hashHex }] =
    await Promise.all([
      import('@assay/node/objects/objects-config'),
      import('@assay/core/log/note'),
      import('@assay/core/log/checkpoint'),
      import('@assay/core/hash/hash'),
    ]);
  const found = await openBucket(objects, environment).read('checkpoint', MAX_NOTE_BYTES);
  if (found === undefined) {
    terminal.out(`The bucket ${objects.bucket} has no checkpoint yet.`);
    return EXIT.incomplete;
  }
  const { text, signatures } = parseNote(found.bytes);
  const checkpoint: Checkpoint = parseCheckpoint(text);
  terminal.out(
    `${checkpoint.origin}: ${checkpoint.size} entries, root ${hashHex(checkpoint.root)}, ${signatures.length} signatures`,
  );
  return EXIT.ok;
}

async function sync(
  given: string | undefined,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { config, objects } = await configOf(given, environment);
  const { copyOnce } = await import('@assay/node/production/copy-once');
  const done = await copyOnce(config, objects, environment);
  terminal.out(
    done === undefined
      ? 'Nothing is published yet.'
      : `The bucket ${objects.bucket} has ${done.size} entries; ${done.written} objects were written.`,
  );
  return EXIT.ok;
}
