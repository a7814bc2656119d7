// Writes the types of the rows of lists: `npm run types`, after a change of the schemas that they are made from.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDemo } from '../src/node/fixture/demo-node.ts';
import { openapiTypescript } from './openapi-peers.ts';
import { SERVED_ROWS, servedRowTypes } from './served-rows.ts';

const found = await openapiTypescript();
if ('missing' in found) throw new Error(found.missing);
const folder = await mkdtemp(join(tmpdir(), 'assay-types-'));
try {
  await withDemo({}, async (base) => {
    const document = await (await fetch(`${base}/openapi.json`)).json();
    await writeFile(SERVED_ROWS, await servedRowTypes(document as never, found.command, folder));
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
