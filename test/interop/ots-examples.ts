import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { opentimestampsFolder } from './ots-peers.ts';

/** The example proofs that come with npm's `opentimestamps`; none where it cannot be had. */
export async function exampleProofs(): Promise<readonly { name: string; bytes: Uint8Array }[]> {
  const found = await opentimestampsFolder();
  if ('missing' in found) return [];
  const folder = join(found.folder, 'examples');
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith('.ots'),
  );
  return Promise.all(
    names
      .sort()
      .map(async (name) => ({ name, bytes: new Uint8Array(await readFile(join(folder, name))) })),
  );
}
