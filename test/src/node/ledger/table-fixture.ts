import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Level } from 'level';
import { temporaryFolder } from './ledger-fixture.ts';

interface Compactable {
  readonly compactRange: (start: Uint8Array, end: Uint8Array) => Promise<void>;
}

/** A closed database all of whose rows lie in tables, in a folder that goes with the test. */
export async function databaseWithTables(t: TestContext): Promise<string> {
  const folder = join(await temporaryFolder(t), 'ledger');
  const database = new Level<Uint8Array, Uint8Array>(folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    compression: false,
    writeBufferSize: 256 * 1024,
  });
  await database.open();
  for (let i = 0; i < 96; i += 1) {
    await database.put(Uint8Array.of(0x7e, i), new Uint8Array(16_384).fill(i));
  }
  // In Node a `Level` is a `ClassicLevel`, which can; the type of what runs in browsers too does not say so.
  await (database as unknown as Compactable).compactRange(Uint8Array.of(0), Uint8Array.of(0xff));
  await database.close();
  return folder;
}
