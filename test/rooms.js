// The entry files of the unit tests: one for each room, which runs the room's test files in one process. Most of
// what a test file costs is the modules that it loads, and the files of one room load the same ones.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A room with fewer files than this runs in one process with the other small rooms of its package. */
const FEWEST = 8;

/** Files that need a process of their own, and why. */
const ALONE = new Map([
  ['node/api/log-routes.test.js', 'measures the memory of the process'],
  ['node/http/node-server.test.js', 'measures the memory of the process'],
  ['node/http/uws-server.test.js', 'measures the memory of the process'],
  ['verifier/misdeeds.test.js', 'takes as long as a room'],
]);

/** Rooms that take longest, the longest first; those that end last would otherwise run alone. */
const LONGEST = [
  'verifier.misdeeds',
  'node.dev',
  'verifier',
  'cli.operate',
  'node.api',
  'cli',
  'node.restore',
];

/** The names of `files`, paths relative to `test/dist/src`, by the name of their entry. */
function roomsOf(files) {
  for (const file of ALONE.keys())
    if (!files.includes(file)) throw new Error(`test/rooms.js names ${file}, which is not there`);
  const rooms = groupBy(files, (file) =>
    ALONE.has(file) ? file.replaceAll('/', '.').slice(0, -'.test.js'.length) : roomOf(file),
  );
  const merged = groupBy([...rooms], ([room, [first, ...rest]]) =>
    rest.length + 1 < FEWEST && !ALONE.has(first) ? room.split('.', 1)[0] : room,
  );
  return [...merged].map(([room, parts]) => [room, parts.flatMap(([, each]) => each)]);
}

/** `core.log` for `core/log/tree.test.js`; rooms below a room belong to it. */
function roomOf(file) {
  return file.split('/').slice(0, -1).slice(0, 2).join('.') || 'repository';
}

function groupBy(all, keyOf) {
  const groups = new Map();
  for (const each of all) {
    const key = keyOf(each);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups;
}

/** Where a room comes: the longest in their order, then those of most files. */
function place([room, { length }]) {
  const at = LONGEST.indexOf(room);
  return at < 0 ? LONGEST.length + 1 / length : at;
}

/**
 * Writes the entries of `files` into `folder`; the paths of the entries in the order in which they are to run. tap runs
 * them by name, so each name begins with its place.
 */
export function writeEntries(files, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return roomsOf(files)
    .sort((a, b) => place(a) - place(b))
    .map(([room, each], i) => {
      const path = join(folder, `${String(i).padStart(2, '0')}-${room}.js`);
      const names = JSON.stringify(each, null, 2);
      const marker = JSON.stringify(`${path}.running`);
      const root = "new URL('../src/', import.meta.url)";
      writeFileSync(
        path,
        `import { runFiles } from '../../entry.js';\n\nawait runFiles(${root}, ${names}, ${marker});\n`,
      );
      return path;
    });
}

/** The files that were running when the process of their entry in `folder` ended too early. */
export function cutOff(folder) {
  const markers = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith('.running'))
    : [];
  return markers.map((name) => readFileSync(join(folder, name), 'utf8'));
}
