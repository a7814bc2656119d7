// The compose files of samples, read by the libraries that Docker reads such files with. Nothing is built or run: no engine is
// needed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCommand } from '@assay/cli/command/dispatch';
import { parseGiven } from '@assay/cli/command/parse';
import { program } from '../src/cli/fixture/program.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { builtGo } from './go-peers.ts';

const FOLDER = join(ROOT, 'samples', 'compose');

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command: readonly string[] | null;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly target: string }[];
  readonly volumes: readonly { readonly type: string; readonly target: string }[];
  readonly ports?: readonly unknown[];
}

interface Read {
  readonly project: { readonly services: Readonly<Record<string, Service>> };
  readonly stages: readonly string[];
  readonly warnings: readonly string[];
}

test(
  'compose: the files are understood, and hold what the README says',
  { timeout: 900_000 },
  async (t) => {
    const built = await builtGo(
      join(ROOT, 'test', 'interop', 'go-compose'),
      "Go's compose-go and BuildKit",
    );
    if ('missing' in built) {
      t.skip(built.missing);
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), 'assay-compose-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(FOLDER, folder, { recursive: true });
    const paths = [join(folder, 'compose.yaml'), join(folder, 'Dockerfile')];
    const read = (): { readonly error: string; readonly found: () => Read } => {
      const { stdout, stderr } = spawnSync(built.command, paths, { encoding: 'utf8' });
      return { error: stderr, found: () => JSON.parse(stdout) as Read };
    };
    const { error, found } = read();
    assert.equal(error, '');
    const { project, stages, warnings } = found();
    assert.deepEqual(warnings, []);
    // Every base is a version, and both stages have the same.
    assert.equal(new Set(stages).size, 1);
    const { proxy, ...own } = project.services;
    assert.deepEqual(Object.keys(own).sort(), ['publisher', 'recount-a', 'recount-b']);
    for (const image of [...stages, proxy?.image ?? ''])
      assert.match(image, /^[a-z]+:\d+\.\d+\.\d+-/);
    for (const [name, service] of Object.entries(project.services)) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      assert.equal(service.ports === undefined, name !== 'proxy', name);
    }
    for (const [name, service] of Object.entries(own)) {
      assert.match(service.user ?? '', /^[1-9][0-9]+:[1-9][0-9]+$/, name);
      assert.deepEqual(
        service.volumes.map(({ target }) => target),
        ['/data'],
        name,
      );
      assert.deepEqual(
        service.secrets?.map(({ target }) => target),
        ['ASSAY_PASSPHRASE'],
        name,
      );
      assert.deepEqual(
        Object.keys(service.environment ?? {}).filter((each) => each !== 'ASSAY_PORT'),
        [],
        name,
      );
      assert.match(service.healthcheck?.test.at(-1) ?? '', /8787\/healthz/, name);
      const { found: command, rest } = await findCommand(program.table, service.command ?? []);
      assert.ok(command.kind === 'command', name);
      assert.doesNotThrow(() => parseGiven(command, rest), name);
    }
    // What is wrong in either file is seen.
    const [compose = '', dockerfile = ''] = paths;
    const text = readFileSync(compose, 'utf8');
    writeFileSync(compose, text.replace('read_only: true', 'read_only: perhaps'));
    assert.match(read().error, /read_only/);
    writeFileSync(compose, text);
    writeFileSync(dockerfile, readFileSync(dockerfile, 'utf8').replace('WORKDIR', 'WORKDIRECTORY'));
    assert.match(read().error, /unknown instruction/);
  },
);

const CLUSTER = join(ROOT, 'samples', 'cluster');
/** What is not Assay, by the service that it is. */
const IMAGES: Readonly<Record<string, RegExp>> = {
  db1: /^postgres:\d+\.\d+-/,
  db2: /^postgres:\d+\.\d+-/,
  store: /^versity\/versitygw:v\d+\.\d+\.\d+$/,
  nginx: /^nginx:\d+\.\d+\.\d+-/,
};

test(
  'compose: the file of the whole service is understood, and has the processes of the script',
  { timeout: 900_000 },
  async (t) => {
    const built = await builtGo(
      join(ROOT, 'test', 'interop', 'go-compose'),
      "Go's compose-go and BuildKit",
    );
    if ('missing' in built) {
      t.skip(built.missing);
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), 'assay-compose-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(CLUSTER, folder, { recursive: true });
    mkdirSync(join(folder, 'secrets'));
    writeFileSync(join(folder, 'secrets', 'store.env'), 'ROOT_ACCESS_KEY=a\n');
    const compose = join(folder, 'compose.yaml');
    const read = (): { readonly error: string; readonly found: () => Read } => {
      const { stdout, stderr } = spawnSync(built.command, [compose], { encoding: 'utf8' });
      return { error: stderr, found: () => JSON.parse(stdout) as Read };
    };
    const { error, found } = read();
    assert.equal(error, '');
    const { services } = found().project;
    const script = readFileSync(join(CLUSTER, 'README.md'), 'utf8');
    for (const [name, service] of Object.entries(services)) {
      if (name !== 'store') assert.ok(script.includes(`\`${name}\``), name);
      const others = IMAGES[name];
      if (others !== undefined) {
        assert.match(service.image, others);
        continue;
      }
      assert.equal(service.image, 'assay:0.2.0', name);
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.equal(service.ports, undefined, name);
      assert.match(service.healthcheck?.test.at(-1) ?? '', /8787\/healthz/, name);
      const { found: command, rest } = await findCommand(program.table, service.command ?? []);
      assert.ok(command.kind === 'command', name);
      assert.doesNotThrow(() => parseGiven(command, rest), name);
    }
    const own = ['publisher', 'standby', 'reader-1', 'reader-2', 'recount-a', 'recount-b'];
    assert.deepEqual(Object.keys(services).sort(), [...own, ...Object.keys(IMAGES)].sort());
    for (const name of ['primary.sh', 'standby.sh']) {
      const { status, stderr } = spawnSync('sh', ['-n', join(CLUSTER, 'containers', name)]);
      assert.equal(status, 0, stderr.toString());
    }
    const text = readFileSync(compose, 'utf8');
    writeFileSync(compose, text.replace('condition: service_healthy', 'condition: service_happy'));
    assert.match(read().error, /service_happy|depends_on|condition/);
  },
);
