// Makes the files that the pages load: each module of `src` that is named here with all that it imports, as one file that
// is as small as it can be, in node/dist/browser. A file is written only when its bytes change. Run by `npm run build`.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = new URL('./', import.meta.url);
/** Where the library is that draws what people zoom into. */
const UPLOT = pathToFileURL(createRequire(import.meta.url).resolve('uplot'));
const OUT = new URL('../dist/browser/', HERE);

/** The modules that the pages load. */
const SCRIPTS = [
  'page.js',
  'docs.js',
  'arena.js',
  'seal.js',
  'scores.js',
  'zoom.js',
  'verify-worker.js',
  'number-worker.js',
  'verify-page.js',
  'verify-box.js',
  'verdict-view.js',
  'assay-number.js',
];
/** A module that loads, by `import()`, what only some logs need. */
const LOG_SCRIPT = 'log-worker.js';
/** The file with that: the curve of sealed forecasts. */
const CURVE_SCRIPT = 'curve.js';
const CURVE_MODULES = ['@assay/core/timelock/beacon-signature', '@assay/core/timelock/sealed'];
const STYLES = ['page.css'];
/** Of that library: its style sheet, and its licence, which its code must come with. */
const ZOOM_FILES = [
  ['zoom.css', 'uPlot.min.css'],
  ['zoom-licence.txt', '../LICENSE'],
];
/** The fonts of the pictures that previews show, and their licence. */
const FONTS = ['inter-400.ttf', 'inter-600.ttf', 'OFL.txt'];

async function write(name, text) {
  const file = new URL(name, OUT);
  const bytes = Buffer.from(text);
  const before = await readFile(file).catch(() => undefined);
  if (before !== undefined && bytes.equals(before)) return;
  // Tests may read the file meanwhile: it is there as a whole or not at all.
  const partial = new URL(`${name}.${process.pid}`, OUT);
  await writeFile(partial, bytes);
  await rename(partial, file);
}

/** The code of a module of `dist` with all that it imports. */
async function codeOf(name, plugins = []) {
  const input = fileURLToPath(new URL(`dist/${name}`, HERE));
  // What is built is JavaScript already, and a release has no configuration of the tests that the root's one names.
  const tsconfig = false;
  const made = await rolldown({ input, tsconfig, platform: 'browser', logLevel: 'warn', plugins });
  const { output } = await made.generate({ format: 'es', minify: true });
  await made.close();
  if (output.length !== 1)
    throw new Error(`${name} is not one file: ${output.map((each) => each.fileName).join(', ')}`);
  return output[0].code;
}

/** Leaves what a module imports later to another file, by a name that `path` takes the place of in its code. */
async function codeWithout(modules, name, path) {
  const id = 'assay:later';
  const resolveId = (source, _importer, { kind }) =>
    kind === 'dynamic-import' && modules.includes(source) ? { id, external: true } : undefined;
  const code = await codeOf(name, [{ name: 'later', resolveId }]);
  const parts = code.split(id);
  if (parts.length !== modules.length + 1)
    throw new Error(`${name} imports ${parts.length - 1} modules later, and not ${modules.length}`);
  return parts.join(path);
}

/** The path of a file, as node/src/page/asset.ts makes it. */
function pathOf(name, code) {
  const sha256 = createHash('sha256').update(code).digest('hex');
  return `/assets/${sha256.slice(0, 16)}/${name}`;
}

/** A style sheet without its comments, its indentation and the spaces that mean nothing. */
function smaller(css) {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(/: /g, ':')
    .replaceAll(';}', '}')
    .trim();
}

await mkdir(OUT, { recursive: true });
for (const name of SCRIPTS) await write(name, await codeOf(name));
const curve = await codeOf(CURVE_SCRIPT);
await write(CURVE_SCRIPT, curve);
await write(LOG_SCRIPT, await codeWithout(CURVE_MODULES, LOG_SCRIPT, pathOf(CURVE_SCRIPT, curve)));
for (const name of STYLES)
  await write(name, smaller(await readFile(new URL(`style/${name}`, HERE), 'utf8')));
for (const [name, from] of ZOOM_FILES) await write(name, await readFile(new URL(from, UPLOT)));
for (const name of FONTS) await write(name, await readFile(new URL(`font/${name}`, HERE)));
