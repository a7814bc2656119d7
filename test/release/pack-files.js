// npm runs this around `npm pack`, in the folder of a package: `before` makes its files what is published, and `after` puts
// back what was there. What is published names no source map, because none comes with it; brings the licence; and has the
// doc comments of the front door, which the packages for browsers leave out of everything else to stay small.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
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
  changed[file] = before;
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
