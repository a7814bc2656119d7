import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { draw } from '@assay/node/dev/site/draw';
import { Level } from 'level';
import { Random } from '../../src/core/terminal/random.ts';

/** The databases of a world: what they are called before the kinds of their files, and where they lie. */
const DATABASES = [
  ['', 'data/ledger'],
  ['recounter ', 'recounter/ledger'],
  ['copy ', 'recounter/publisher/log'],
] as const;

type KindRow = readonly [kind: string, path: RegExp, weight: number];

function databaseKinds([prefix, path]: (typeof DATABASES)[number]): readonly KindRow[] {
  return [
    [`${prefix}table`, new RegExp(`^${path}/.*\\.ldb$`), 14],
    [`${prefix}log`, new RegExp(`^${path}/.*\\.log$`), 10],
    [`${prefix}manifest`, new RegExp(`^${path}/MANIFEST-`), 6],
    [`${prefix}current`, new RegExp(`^${path}/CURRENT$`), 4],
    [`${prefix}lock`, new RegExp(`^${path}/LO(CK|G|G\\.old)$`), 2],
  ];
}

/** What a file of a world is, by its path; the first that fits. */
const KINDS: readonly KindRow[] = [
  ...DATABASES.flatMap(databaseKinds),
  ['guard', /^data\/head$/, 8],
  ['shown', /^data\/shown$/, 8],
  ['blob', /^data\/blobs\//, 12],
  ['opening', /^data\/openings\//, 6],
  ['tick opening', /^data\/tick-openings\//, 6],
  ['tick seed', /^data\/keys\/tick-seed$/, 2],
  ['key', /^data\/keys\//, 5],
  ['settlement file', /^data\/mirror\//, 6],
  ['open batch', /^data\/stamps\//, 6],
  ['rule file', /^rules\//, 3],
  ['config', /^(node|assets|prices)\.json$/, 3],
  ['recounter guard', /^recounter\/head$/, 8],
  ['recounter statements', /^recounter\/memory\//, 12],
  ['recounter read', /^recounter\/reads\//, 10],
  ['recounter blob', /^recounter\/blobs\//, 10],
  ['copy guard', /^recounter\/publisher\/head$/, 8],
  ['copy blob', /^recounter\/publisher\/blobs\//, 8],
  ['receipts', /^recounter\/publisher\/receipts\.json$/, 5],
  ['witness memory', /^recounter\/witness\//, 12],
  ['witness mark', /^recounter\/cosigned\//, 6],
  ['findings', /^recounter\/findings\.jsonl$/, 3],
  ['recounter key', /^recounter\/keys\//, 4],
];
/** Rows of the database, changed by way of it: its own checksums hold. */
const ROWS = 'row';
const ROWS_WEIGHT = 14;
/** In a pair the publisher's files are not damaged that it has alone, too. */
const NOT_IN_PAIR: ReadonlySet<string> = new Set(
  `manifest,current,lock,blob,opening,tick opening,tick seed,key,settlement file,open batch,rule file,config,${ROWS}`.split(
    ',',
  ),
);

/** Ways to damage one file. */
const WAYS = [
  'flip a bit',
  'flip some bits',
  'flip a run',
  'zero a run',
  'truncate',
  'empty',
  'delete',
  'swap',
  'roll back',
  'append junk',
  'repeat a block',
  'change a digit',
] as const;
/** Ways to damage one row. */
const ROW_WAYS = ['flip a bit', 'change a digit', 'delete', 'swap', 'roll back'] as const;
type Way = (typeof WAYS)[number];

/** What was done to a folder. */
export interface Damage {
  readonly kind: string;
  readonly way: Way;
  /** The files or rows. */
  readonly places: readonly string[];
}

/** The same world some days before. */
export interface Older {
  readonly root: string;
  /** The value of a row of the database at a path. */
  readonly row: (database: string, key: Uint8Array) => Uint8Array | undefined;
}

/** An older copy, its rows read once. */
export async function olderCopy(root: string): Promise<Older> {
  const rows = new Map<string, Uint8Array>();
  const nameOf = (path: string, key: Uint8Array): string =>
    `${path} ${Buffer.from(key).toString('hex')}`;
  for (const [, path] of DATABASES) {
    if (!(await isFile(join(root, path, 'CURRENT')))) continue;
    const database = await openRows(join(root, path));
    for await (const [key, value] of database.iterator()) {
      rows.set(nameOf(path, key), Uint8Array.from(value));
    }
    await database.close();
  }
  return { root, row: (path, key) => rows.get(nameOf(path, key)) };
}

async function openRows(path: string): Promise<Level<Uint8Array, Uint8Array>> {
  const database = new Level<Uint8Array, Uint8Array>(path, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    compression: false,
  });
  await database.open();
  return database;
}

/** A generator of its own for each seed. */
export function randomOf(seed: number): Random {
  return new Random(1 + draw(`damage ${seed}`, 2_147_483_645));
}

export function kindOf(path: string): string | undefined {
  return KINDS.find(([, pattern]) => pattern.test(path))?.[0];
}

/** Every file below a folder, as a path relative to it, ascending. */
export async function filesBelow(root: string): Promise<readonly string[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return found
    .filter((each) => each.isFile())
    .map((each) => relative(root, join(each.parentPath, each.name)))
    .sort();
}

/**
 * Damages one file or row of the world at `root`, whatever `random` chooses; `older` is the same world some days
 * before. Undefined where what was chosen changes nothing.
 */
export async function damage(
  root: string,
  older: Older,
  random: Random,
): Promise<Damage | undefined> {
  const files = await filesBelow(root);
  const byKind = new Map<string, string[]>();
  for (const path of files) {
    const kind = kindOf(path);
    if (kind !== undefined) byKind.set(kind, [...(byKind.get(kind) ?? []), path]);
  }
  const isPair = files.some((path) => path.startsWith('recounter/'));
  const weights: (readonly [kind: string, weight: number])[] = KINDS.flatMap(([kind, , weight]) =>
    byKind.has(kind) ? [[kind, weight] as const] : [],
  );
  for (const [prefix] of DATABASES) {
    if (byKind.has(`${prefix}manifest`)) weights.push([`${prefix}${ROWS}`, ROWS_WEIGHT]);
  }
  const kind = chosen(
    weights.filter(([each]) => !isPair || !NOT_IN_PAIR.has(each)),
    random,
  );
  const database = DATABASES.find(([prefix]) => kind === `${prefix}${ROWS}`);
  if (database !== undefined) return damageRow(root, database, older, random);
  const paths = byKind.get(kind) ?? [];
  const path = paths[random.below(paths.length)] ?? '';
  const way = WAYS[random.below(WAYS.length)] as Way;
  const places = await damageFile({ root, older: older.root, path, others: paths }, way, random);
  return places.length > 0 ? { kind, way, places } : undefined;
}

function chosen(weights: readonly (readonly [string, number])[], random: Random): string {
  let left = random.below(weights.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [name, weight] of weights) {
    left -= weight;
    if (left < 0) return name;
  }
  throw new TypeError('chosen: nothing to choose from');
}

interface Target {
  readonly root: string;
  readonly older: string;
  readonly path: string;
  /** Files of the same kind. */
  readonly others: readonly string[];
}

/** The files that are others now. */
async function damageFile(target: Target, way: Way, random: Random): Promise<readonly string[]> {
  const { root, path, others } = target;
  const file = join(root, path);
  if (way === 'delete') {
    await rm(file);
    return [path];
  }
  if (way === 'roll back') return (await rollBack(target, random)) ? [path] : [];
  if (way === 'swap') {
    const rest = others.filter((each) => each !== path);
    const [otherPath] = rest.slice(random.below(Math.max(1, rest.length)));
    if (otherPath === undefined) return [];
    const other = join(root, otherPath);
    await rename(file, `${file}.swapped`);
    await rename(other, file);
    await rename(`${file}.swapped`, other);
    return [path, otherPath];
  }
  const before = await readFile(file);
  if (way === 'append junk') {
    // Never in place: the file may be a link to the template's.
    await replace(file, Buffer.concat([before, bytes(1 + random.below(5000), random)]));
    return [path];
  }
  const after = changed(before, way, random);
  if (after === undefined || after.equals(before)) return [];
  await replace(file, after);
  return [path];
}

/** The bytes after a damage; undefined where it can do nothing to them. */
function changed(before: Buffer, way: Way, random: Random): Buffer | undefined {
  const { length } = before;
  if (length === 0) return undefined;
  const after = Buffer.from(before);
  const flip = (): void => {
    const at = random.below(length);
    after[at] = (after[at] ?? 0) ^ (1 << random.below(8));
  };
  const start = random.below(length);
  switch (way) {
    case 'flip a bit':
      flip();
      return after;
    case 'flip some bits':
      for (let i = 2 + random.below(40); i > 0; i -= 1) flip();
      return after;
    case 'flip a run':
      for (let i = start; i < Math.min(length, start + 2 + random.below(200)); i += 1) {
        after[i] = (after[i] ?? 0) ^ random.below(256);
      }
      return after;
    case 'zero a run':
      after.fill(0, start, Math.min(length, start + 1 + random.below(4096)));
      return after;
    case 'truncate':
      return after.subarray(0, start);
    case 'empty':
      return Buffer.alloc(0);
    case 'repeat a block': {
      const end = Math.min(length, start + 1 + random.below(4096));
      return Buffer.concat([after.subarray(0, end), after.subarray(start)]);
    }
    case 'change a digit':
      return withOtherDigit(after, random);
    default:
      throw new TypeError(`changed: ${way}`);
  }
}

/** A digit of a number is another one: what is JSON stays so. */
function withOtherDigit(value: Buffer, random: Random): Buffer | undefined {
  const text = value.toString('latin1');
  const found = [...text.matchAll(/"(?:value|settlement_value|z|level|median|mean)":"?-?(\d+)/g)];
  const match = found[random.below(Math.max(1, found.length))] ?? undefined;
  const digits = match?.[1] ?? '';
  if (match === undefined) return undefined;
  const at = (match.index ?? 0) + match[0].length - 1 - random.below(digits.length);
  const after = Buffer.from(value);
  after[at] = 0x31 + (((value[at] ?? 0x30) - 0x30 + random.below(8)) % 9);
  return after;
}

async function rollBack({ root, older, path, others }: Target, random: Random): Promise<boolean> {
  const before = await readFile(join(root, path));
  const candidates: string[] = [];
  for (const each of [path, ...others]) {
    if (await isFile(join(older, each))) candidates.push(each);
  }
  // The file's own older self, or where it had none another's of its kind.
  const from = candidates.includes(path)
    ? path
    : candidates[random.below(Math.max(1, candidates.length))];
  const old = await readFile(join(older, from ?? (await anyOf(older, path)) ?? '')).catch(
    () => undefined,
  );
  if (old === undefined || old.equals(before)) return false;
  await replace(join(root, path), old);
  return true;
}

/** A file of the same kind in an older copy. */
async function anyOf(older: string, path: string): Promise<string | undefined> {
  return (await filesBelow(older)).find((each) => kindOf(each) === kindOf(path));
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function bytes(count: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.below(256)));
}

async function replace(path: string, after: Uint8Array): Promise<void> {
  const { mode } = await stat(path);
  await rm(path);
  await writeFile(path, after, { mode: mode & 0o777 });
}

type Row = readonly [key: Uint8Array, value: Uint8Array];

/** Changes one row through LevelDB itself, as a fault of memory before the write would have. */
async function damageRow(
  root: string,
  [prefix, path]: (typeof DATABASES)[number],
  older: Older,
  random: Random,
): Promise<Damage | undefined> {
  const way = ROW_WAYS[random.below(ROW_WAYS.length)] as (typeof ROW_WAYS)[number];
  const database = await openRows(join(root, path));
  try {
    const rows: Row[] = [];
    for await (const [key, value] of database.iterator()) rows.push([key, value]);
    const [key, value] = rows[random.below(rows.length)] as Row;
    const place = Buffer.from(key)
      .toString('latin1')
      .replaceAll(/[^ -~]/g, '.');
    const done = { kind: `${prefix}${ROWS}`, way, places: [place] };
    if (way === 'delete') {
      await database.del(key);
      return done;
    }
    if (way === 'swap') {
      // With a neighbour: rows of one table are much alike.
      const at = rows.findIndex(([each]) => each === key);
      const other = rows[at + 1] ?? rows[at - 1];
      if (other === undefined || Buffer.from(other[1]).equals(value)) return undefined;
      await database.batch([
        { type: 'put', key, value: other[1] },
        { type: 'put', key: other[0], value },
      ]);
      return done;
    }
    const after =
      way === 'roll back' ? older.row(path, key) : changed(Buffer.from(value), way, random);
    if (after === undefined || Buffer.from(after).equals(value)) return undefined;
    await database.put(key, after);
    return done;
  } finally {
    await database.close();
  }
}
