/**
 * Builds the program and the example of a venue's from their sources and compares them with the committed
 * ones, bit for bit:
 *
 *     npm run build:program                        compares both
 *     npm run build:program -- --write             replaces the committed ones
 *     npm run build:program -- --write settlement  only the one of that name
 *
 * Exit code 0 also where it could not be compared, which it says; 1 where it differs.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { link, type Linked } from './link.ts';
import { prepareToolchain, run, RUST_FLAGS, type Toolchain, Unavailable } from './toolchain.ts';

/** chain/program, from its dist. */
const FOLDER = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const ROOT = join(FOLDER, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/assay-program');

interface Program {
  readonly name: string;
  /** With `src/lib.rs`, and what it is compared with. */
  readonly folder: string;
}

const PROGRAMS: readonly Program[] = [
  { name: 'assay_feed', folder: FOLDER },
  { name: 'settlement', folder: join(ROOT, 'samples/settlement-program') },
];

function main(args: readonly string[]): number {
  const names = args.filter((each) => each !== '--write');
  const chosen = PROGRAMS.filter(({ name }) => names.length === 0 || names.includes(name));
  const known = names.every((name) => chosen.some((each) => each.name === name));
  if (!known) {
    const list = PROGRAMS.map(({ name }) => name).join(' ');
    console.log(`usage: npm run build:program -- [--write] [name]; names: ${list}`);
    return 2;
  }
  let toolchain: Toolchain;
  try {
    toolchain = prepareToolchain(FOLDER, CACHE);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`not compared: ${error.message}`);
    return 0;
  }
  const same = chosen.map((program) => settled(program, toolchain, args.includes('--write')));
  return same.every(Boolean) ? 0 : 1;
}

/** Whether what is committed is what was built, then or now. */
function settled({ name, folder }: Program, toolchain: Toolchain, write: boolean): boolean {
  const { executable, syscalls } = build({ name, folder }, toolchain);
  const hash = createHash('sha256').update(executable).digest('hex');
  console.log(`${name}.so: ${executable.length} bytes, sha256 ${hash}`);
  console.log(`calls ${syscalls.join(', ')}`);
  const path = join(folder, `${name}.so`);
  if (write) {
    writeFileSync(path, executable);
    writeFileSync(join(folder, `${name}.sha256`), `${hash}  ${name}.so\n`);
    console.log('written');
    return true;
  }
  const difference = firstDifference(executable, readFileSync(path));
  const committed = readFileSync(join(folder, `${name}.sha256`), 'utf8');
  if (difference === undefined && committed === `${hash}  ${name}.so\n`) {
    console.log('identical');
    return true;
  }
  console.log(difference ?? `different: the committed sha256 is ${committed.trim()}`);
  return false;
}

/** Compiles with one unit and fat LTO, then links. */
function build({ name, folder }: Program, { rustc, llvm, crates, env }: Toolchain): Linked {
  const work = mkdtempSync(join(tmpdir(), 'assay-program-'));
  try {
    const crate = (each: string): string => `--extern=${each}=${join(crates, `lib${each}.rlib`)}`;
    const flags = [
      '--crate-type=staticlib',
      `--crate-name=${name}`,
      '-Clto=fat',
      '-Coverflow-checks=on',
      '-Dwarnings',
      `--remap-path-prefix=${folder}=program`,
      `-L${crates}`,
      crate('core'),
      crate('compiler_builtins'),
      `--out-dir=${work}`,
    ];
    run(rustc, [...RUST_FLAGS, ...flags, join(folder, 'src/lib.rs')], env);
    run(join(llvm, 'llvm-ar'), ['x', `lib${name}.a`], env, work);
    const objects = readdirSync(work).filter((each) => each.endsWith('.o'));
    if (objects.length !== 1) throw new Error(`one object was expected: ${objects.join(' ')}`);
    const target = ['-march=bpfel', '-mcpu=v2', '-mattr=+allows-misaligned-mem-access'];
    const code = ['-filetype=obj', '-O2', '-bpf-stack-size=4096', '-o', 'program.obj'];
    run(join(llvm, 'llc'), [...target, ...code, ...objects], env, work);
    return link(readFileSync(join(work, 'program.obj')));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function firstDifference(built: Uint8Array, committed: Uint8Array): string | undefined {
  const at = built.findIndex((byte, i) => byte !== committed[i]);
  if (at < 0 && built.length === committed.length) return undefined;
  const lengths = `built ${built.length} bytes, committed ${committed.length}`;
  return `different at byte ${at < 0 ? built.length : at}: ${lengths}`;
}

process.exitCode = main(process.argv.slice(2));
