/**
 * Builds the program from its sources and compares it with the committed one, bit for bit:
 *
 *     npm run build:program             compares
 *     npm run build:program -- --write  replaces the committed one
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

const NAME = 'assay_feed';

/** chain/program, from its dist. */
const FOLDER = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const CACHE = join(FOLDER, '../../node_modules/.cache/assay-program');

function main(args: readonly string[]): number {
  let toolchain: Toolchain;
  try {
    toolchain = prepareToolchain(FOLDER, CACHE);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`not compared: ${error.message}`);
    return 0;
  }
  const { executable, syscalls } = build(toolchain);
  const hash = createHash('sha256').update(executable).digest('hex');
  console.log(`${NAME}.so: ${executable.length} bytes, sha256 ${hash}`);
  console.log(`calls ${syscalls.join(', ')}`);
  const path = join(FOLDER, `${NAME}.so`);
  if (args.includes('--write')) {
    writeFileSync(path, executable);
    writeFileSync(join(FOLDER, `${NAME}.sha256`), `${hash}  ${NAME}.so\n`);
    console.log('written');
    return 0;
  }
  const difference = firstDifference(executable, readFileSync(path));
  const committed = readFileSync(join(FOLDER, `${NAME}.sha256`), 'utf8');
  if (difference === undefined && committed === `${hash}  ${NAME}.so\n`) {
    console.log('identical');
    return 0;
  }
  console.log(difference ?? `different: the committed sha256 is ${committed.trim()}`);
  return 1;
}

/** Compiles with one unit and fat LTO, then links. */
function build({ rustc, llvm, crates, env }: Toolchain): Linked {
  const work = mkdtempSync(join(tmpdir(), 'assay-program-'));
  try {
    const crate = (name: string): string => `--extern=${name}=${join(crates, `lib${name}.rlib`)}`;
    const flags = [
      '--crate-type=staticlib',
      `--crate-name=${NAME}`,
      '-Clto=fat',
      '-Coverflow-checks=on',
      '-Dwarnings',
      `--remap-path-prefix=${FOLDER}=program`,
      `-L${crates}`,
      crate('core'),
      crate('compiler_builtins'),
      `--out-dir=${work}`,
    ];
    run(rustc, [...RUST_FLAGS, ...flags, join(FOLDER, 'src/lib.rs')], env);
    run(join(llvm, 'llvm-ar'), ['x', `lib${NAME}.a`], env, work);
    const objects = readdirSync(work).filter((name) => name.endsWith('.o'));
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
