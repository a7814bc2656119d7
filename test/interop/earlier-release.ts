// A release from before this one, made from the repository's history: its verifier as it was packed, and logs that it wrote.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { promisify } from 'node:util';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import type { Site } from '../src/verifier/fixture/published.ts';
import { compile, extract, linkModules } from '../release/commit.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';

const run = promisify(execFile);

/** Which release, and where in it is what these tests use. Once a release is published, its commit belongs here. */
const EARLIER = {
  /** The last commit before every file got a room of its own: entries of 24 kinds, rules of two formats. */
  commit: '867ff8711749b322494d53f69f01dab0f74ad9ef',
  verify: '@assay/verifier/verify',
  policy: '@assay/verifier/policy',
  fixtures: './src/verifier',
} as const;

/** Logs by name, as they go from one release to the other. */
export type Logs = ReadonlyMap<string, Site>;

/** What a verdict of the earlier release has that these tests read. */
export type EarlierVerdict = Pick<Verdict, 'outcome'> & {
  readonly findings?: readonly { readonly code: string; readonly place: string }[];
};

/** Writes the logs of the earlier release's own fixtures, and one of them as a node's data folder. */
const WRITER = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { parseEntry } from '@assay/core/entry';
import { parseTime } from '@assay/core/time';
import { FileBlobStore } from '@assay/node/file-blob-store';
import { FileHeadGuard } from '@assay/node/ledger/file-head-guard';
import { Ledger } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/level-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { anchoredLog } from '${EARLIER.fixtures}/anchored-log.ts';
import { chained } from '${EARLIER.fixtures}/chained-log.ts';
import { closedLog } from '${EARLIER.fixtures}/closed-log.ts';
import { publish, siteOf } from '${EARLIER.fixtures}/published.ts';
import { sampleLog } from '${EARLIER.fixtures}/sample-log.ts';
import { tickedLog } from '${EARLIER.fixtures}/ticked-log.ts';
const [, , into, data] = process.argv;
const numbers = await sampleLog();
const logs = new Map();
for (const [name, { entries, blobs, checkpoints }] of [
  ['numbers', numbers],
  ['ticks', tickedLog()],
  ['anchors', await anchoredLog()],
  ['closes', await closedLog()],
]) logs.set(name, siteOf(publish(entries, blobs, checkpoints)));
logs.set('statements', siteOf(chained().published));
writeFileSync(into, serialize(logs));
mkdirSync(data);
let second = 0;
const ledger = await Ledger.open({
  sha256: nodeSha256,
  store: await openLevelStore(join(data, 'ledger'), { sync: false }),
  guard: await FileHeadGuard.open(join(data, 'head'), { sync: false }),
  signer: numbers.checkpoints,
  now: () => second,
  askHeads: null,
});
for (const bytes of numbers.entries) {
  const { at, kind, body } = parseEntry(bytes);
  second = parseTime(at);
  await ledger.append([{ kind, body }], ledger.nextSeq);
}
await ledger.close();
const blobs = await FileBlobStore.open(join(data, 'blobs'));
for (const bytes of numbers.blobs.values()) await blobs.put(bytes);
`;

/** Opens the data folder of a node, and prints the code of its refusal or the size of its log. */
const OPENER = `
import { join } from 'node:path';
import { FileHeadGuard } from '@assay/node/ledger/file-head-guard';
import { Ledger } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/level-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { sampleLog } from '${EARLIER.fixtures}/sample-log.ts';
const data = process.argv[2];
const { checkpoints: signer } = await sampleLog();
const store = await openLevelStore(join(data, 'ledger'), { sync: false });
try {
  const guard = await FileHeadGuard.open(join(data, 'head'), { sync: false });
  const ledger = await Ledger.open({ sha256: nodeSha256, store, guard, signer, now: () => 0, askHeads: null });
  console.log('size ' + ledger.nextSeq);
} catch (error) {
  if (error.code === undefined) throw error;
  console.log(error.code);
}
`;

/** Verifies logs and bundles with the packed verifier, and prints the verdicts. */
const READER = `
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { OPEN_POLICY } from '${EARLIER.policy}';
import { verify } from '${EARLIER.verify}';
const nothing = { status: 404, body: new Uint8Array(0), logSize: undefined };
const { logs, bundles } = deserialize(readFileSync(process.argv[2]));
const verdicts = {};
for (const [name, site] of logs) {
  const reader = { live: true, get: async (path) => site.get(path) ?? nothing };
  verdicts[name] = await verify({ kind: 'log', reader }, OPEN_POLICY);
}
for (const [name, bytes] of bundles) verdicts[name] = await verify({ kind: 'bundle', bytes }, OPEN_POLICY);
console.log(JSON.stringify(verdicts));
`;

/** Why the earlier release cannot be made here; undefined where its commit is in the history. */
export async function lacksHistory(): Promise<string | undefined> {
  try {
    await run('git', ['cat-file', '-e', `${EARLIER.commit}^{commit}`], { cwd: ROOT });
    return undefined;
  } catch {
    return `no earlier release was tried: this clone does not have its commit ${EARLIER.commit.slice(0, 7)}`;
  }
}

export class EarlierRelease {
  readonly #folder: string;
  readonly #home: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#home = join(folder, 'home');
  }

  /** Makes it in `folder`: its sources as they were, compiled, and its verifier packed and installed by itself. */
  static async make(folder: string): Promise<EarlierRelease> {
    const source = join(folder, 'source');
    const packages = ['core', 'verifier', 'chain', 'node'];
    const paths = [...packages, 'test', 'samples', 'vectors', 'tsconfig.json', 'package.json'];
    await extract(ROOT, EARLIER.commit, source, paths);
    await linkModules(source, packages);
    // What it is compiled with is today's compiler, which may find what that of then did not.
    await compile(source, ['-b', ...packages, '--noCheck']);
    await writeFile(join(source, 'test', 'write-logs.ts'), WRITER);
    await writeFile(join(source, 'test', 'open-data.ts'), OPENER);
    await writeFile(
      join(source, 'test', 'tsconfig.json'),
      JSON.stringify({
        extends: '../tsconfig.json',
        compilerOptions: {
          rootDir: '.',
          outDir: 'dist',
          types: ['node'],
          isolatedDeclarations: false,
        },
        files: ['write-logs.ts', 'open-data.ts'],
        references: packages.map((name) => ({ path: `../${name}` })),
      }),
    );
    await compile(source, ['-p', 'test', '--noCheck']);
    const release = new EarlierRelease(folder);
    await release.#install(source);
    return release;
  }

  /** The packed verifier in an empty folder, with the libraries of others that it names. */
  async #install(source: string): Promise<void> {
    const modules = join(this.#home, 'node_modules');
    for (const name of ['core', 'verifier']) {
      const into = join(modules, '@assay', name);
      await mkdir(into, { recursive: true });
      const args = [
        'pack',
        '--pack-destination',
        this.#folder,
        '--cache',
        join(this.#folder, 'npm'),
      ];
      const { stdout } = await run('npm', args, { cwd: join(source, name) });
      const tarball = join(this.#folder, stdout.trim().split('\n').at(-1) as string);
      await run('tar', ['xzf', tarball, '--strip-components=1', '-C', into]);
    }
    const noble = join('node_modules', '@noble');
    await cp(join(ROOT, noble), join(this.#home, noble), { recursive: true });
    await writeFile(join(this.#home, 'package.json'), '{"private":true,"type":"module"}');
    await writeFile(join(this.#home, 'verify.js'), READER);
  }

  /** The logs that its code writes, and the data folder of the one that is called `numbers`. */
  async logs(): Promise<{ readonly logs: Logs; readonly data: string }> {
    const into = join(this.#folder, 'logs');
    const data = join(this.#folder, 'data');
    const writer = join(this.#folder, 'source', 'test', 'dist', 'write-logs.js');
    await run(process.execPath, [writer, into, data]);
    const logs = deserialize(await readFile(into)) as Logs;
    return { logs, data };
  }

  /** What its node says when it opens a data folder: the code of its refusal, or `size N`. */
  async opens(data: string): Promise<string> {
    const opener = join(this.#folder, 'source', 'test', 'dist', 'open-data.js');
    const { stdout } = await run(process.execPath, [opener, data]);
    return stdout.trim();
  }

  /** The verdicts of its packed verifier on logs and bundles, by name. */
  async verify(
    logs: Logs,
    bundles: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<Readonly<Record<string, EarlierVerdict>>> {
    const subjects = join(this.#folder, 'subjects');
    await writeFile(subjects, serialize({ logs, bundles }));
    const { stdout, stderr } = await run(process.execPath, ['verify.js', subjects], {
      cwd: this.#home,
      maxBuffer: 64 * 1024 * 1024,
    });
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, EarlierVerdict>;
  }
}
