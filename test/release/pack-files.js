// npm runs this around `npm pack`, in the folder of a package: `before` makes its files what is published, and `after` puts
// back what was there. What is published names no source map, because none comes with it; brings the licence; and has the
// doc comments of the front door, which the packages for browsers leave out of everything else to stay small. For the same
// reason these packages are laid out with tabs and long lines: what the compiler writes is indented by four spaces.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NAMES_MAP = /\n\/\/# sourceMappingURL=\S+\.js\.map\s*$/;
/** The text of each file before it was changed, by its path in the package. */
const kept = join('dist', '.packing.json');

function change(changed, file, text) {
  const before = readFileSync(file, 'utf8');
  if (before === text) return;
  changed[file] ??= before;
  writeFileSync(file, text);
}

function nameNoMaps(changed) {
  for (const name of readdirSync('dist', { recursive: true })) {
    const file = join('dist', String(name));
    if (!file.endsWith('.js')) continue;
    change(changed, file, readFileSync(file, 'utf8').replace(NAMES_MAP, '\n'));
  }
}

/** The declarations that the front door names, from it on down. */
function frontDoor() {
  const index = 'dist/index.d.ts';
  if (!existsSync(index)) return [];
  const named = readFileSync(index, 'utf8').matchAll(/from '\.\/([^']+)\.(?:ts|js)'/g);
  return [index, ...new Set([...named].map(([, path]) => `dist/${path}.d.ts`))];
}

function documentFrontDoor(changed) {
  const files = frontDoor();
  if (files.length === 0) return;
  const scratch = mkdtempSync(join(tmpdir(), 'assay-pack-'));
  try {
    const tsc = join(
      dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
      'bin',
      'tsc',
    );
    const options = ['--emitDeclarationOnly', '--removeComments', 'false', '--composite', 'false'];
    const args = [tsc, '-p', '.', ...options, '--incremental', 'false', '--outDir', scratch];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`tsc ended with ${status}`);
    for (const file of files)
      change(changed, file, readFileSync(join(scratch, file.slice('dist/'.length)), 'utf8'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** How the packages for browsers are laid out: a tenth smaller than the compiler's own layout, and still to be read. */
const LAYOUT = {
  useTabs: true,
  printWidth: 320,
  singleQuote: true,
  bracketSpacing: false,
  trailingComma: 'none',
  objectWrap: 'collapse',
};

/** What of a file does not depend on its layout, apart from the marks that a formatter may add or leave out. */
function bare(text) {
  return text.replace(/,(?=\s*(?:\/\/[^\n]*\s*)?[)\]}])/g, '').replace(/[\s();"'|\\]/g, '');
}

function layOut(changed) {
  const scratch = mkdtempSync(join(tmpdir(), 'assay-layout-'));
  try {
    const names = readdirSync('dist', { recursive: true })
      .map(String)
      .filter((name) => /\.(js|d\.ts)$/.test(name));
    for (const name of names) {
      mkdirSync(dirname(join(scratch, name)), { recursive: true });
      copyFileSync(join('dist', name), join(scratch, name));
    }
    writeFileSync(join(scratch, '.oxfmtrc.json'), JSON.stringify(LAYOUT));
    const oxfmt = join(
      dirname(createRequire(import.meta.url).resolve('oxfmt/package.json')),
      'bin',
      'oxfmt',
    );
    const { status } = spawnSync(process.execPath, [oxfmt, '.'], { cwd: scratch });
    if (status !== 0) throw new Error(`oxfmt ended with ${status}`);
    for (const name of names) {
      const text = readFileSync(join(scratch, name), 'utf8');
      const file = join('dist', name);
      if (bare(text) !== bare(readFileSync(file, 'utf8'))) {
        throw new Error(`${file} is not the same after its layout has changed`);
      }
      change(changed, file, text);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Whether the package runs in a browser, which takes in every byte of it. */
function isForBrowsers() {
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  return compilerOptions.removeComments === true;
}

function restore() {
  rmSync('LICENSE', { force: true });
  if (!existsSync(kept)) return;
  for (const [file, text] of Object.entries(JSON.parse(readFileSync(kept, 'utf8'))))
    writeFileSync(file, text);
  rmSync(kept);
}

const [when] = process.argv.slice(2);
if (when === 'before') {
  restore(); // of a packing that was cut off
  const changed = {};
  try {
    nameNoMaps(changed);
    documentFrontDoor(changed);
    if (isForBrowsers()) layOut(changed);
  } finally {
    writeFileSync(kept, JSON.stringify(changed));
  }
  copyFileSync(join(ROOT, 'LICENSE'), 'LICENSE');
} else if (when === 'after') {
  restore();
} else {
  console.error('usage: node pack-files.js before|after');
  process.exit(2);
}
