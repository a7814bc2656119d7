import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A list of fewer tables is not left: they are checked at each start. */
const FEW_TABLES = 64;
const FIRST_LINE = 'assay-tables/1';

/**
 * The tables of a database that this process or an earlier one has checked, by their numbers, each with what the disk
 * says of its file: its bytes, its inode and the time of its last change.
 */
export type TableList = ReadonlyMap<number, string>;

/**
 * The list that the last process left when it closed the database, of those files that are still the same; it is gone
 * afterwards. A process that does not come to its end leaves none, and then every table is checked: LevelDB may have
 * ended it over one of them.
 */
export async function takeTableList(folder: string): Promise<TableList> {
  const path = pathOf(folder);
  const known = new Map<number, string>();
  try {
    const text = await readFile(path, 'latin1');
    await rm(path);
    const end = text.lastIndexOf('\n', text.length - 2) + 1;
    if (text.slice(end) !== `${digestOf(text.slice(0, end))}\n`) return known;
    const [first, ...lines] = text.slice(0, end - 1).split('\n');
    if (first !== FIRST_LINE) return known;
    for (const line of lines) {
      const space = line.indexOf(' ');
      const [number, file] = [Number(line.slice(0, space)), line.slice(space + 1)];
      if (fileOf(folder, number) === file) known.set(number, file);
    }
  } catch {
    known.clear();
  }
  return known;
}

/** Leaves a list of these tables, as far as they are still there. Their database is closed. */
export async function leaveTableList(folder: string, numbers: Iterable<number>): Promise<void> {
  const lines: string[] = [];
  for (const number of numbers) {
    const file = fileOf(folder, number);
    if (file !== undefined) lines.push(`${number} ${file}\n`);
  }
  if (lines.length < FEW_TABLES) return;
  const text = `${FIRST_LINE}\n${lines.join('')}`;
  const path = pathOf(folder);
  try {
    await writeFile(`${path}.new`, `${text}${digestOf(text)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch {
    // All of them are checked at the next start.
  }
}

export function tableName(number: number): string {
  return `${String(number).padStart(6, '0')}.ldb`;
}

function pathOf(folder: string): string {
  return `${folder}.tables`;
}

function fileOf(folder: string, number: number): string | undefined {
  const path = join(folder, tableName(number));
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined ? undefined : `${file.size} ${file.ino} ${file.mtimeNs}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
