import { readdir } from 'node:fs/promises';
import { errorCode } from './durable-file.ts';

/** How many files a folder holds, at any depth; 0 if it does not exist. */
export async function filesIn(folder: string): Promise<number> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    return found.filter((each) => each.isFile()).length;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
