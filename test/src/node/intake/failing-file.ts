import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

type Method = 'appendFile' | 'writeFile' | 'datasync';
type Write = (this: unknown, data: Uint8Array) => Promise<void>;

/** Makes the next call of a method of an open file fail as on a full disk, after half of the bytes were written. */
export async function failOnce(t: TestContext, method: Method): Promise<void> {
  const file = await open(join(await temporaryFolder(t), 'file'), 'w');
  const prototype = Object.getPrototypeOf(file) as Record<Method, Write>;
  await file.close();
  const real = prototype[method];
  const restore = (): void => {
    prototype[method] = real;
  };
  t.after(restore);
  prototype[method] = async function half(data) {
    restore();
    await real.call(this, data?.subarray(0, data.length >> 1));
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
}
