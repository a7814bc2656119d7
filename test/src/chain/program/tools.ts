import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../core/fixture/fixture.ts';

/** What is tested of chain/program, which no package exports: it builds, and is not part of what runs. */
interface Tools {
  readonly link: (object: Uint8Array) => {
    readonly executable: Uint8Array;
    readonly syscalls: readonly string[];
  };
  readonly murmur3: (name: string) => number;
  readonly requireKnownOpcodes: (text: Uint8Array) => void;
}

async function load<K extends keyof Tools>(file: string, name: K): Promise<Tools[K]> {
  const url = pathToFileURL(join(ROOT, 'chain/program/dist', `${file}.js`)).href;
  return ((await import(url)) as Tools)[name];
}

export const link: Tools['link'] = await load('link', 'link');
export const murmur3: Tools['murmur3'] = await load('murmur3', 'murmur3');
export const requireKnownOpcodes: Tools['requireKnownOpcodes'] = await load(
  'opcodes',
  'requireKnownOpcodes',
);
