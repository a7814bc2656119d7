import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import {
  array,
  hashHex,
  hex,
  literal,
  nullable,
  object,
  type Parse,
  string,
} from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import { errorCode, writeDurable } from '../platform/durable-file.ts';

/** What a signer knows of the log that it signs for. Nothing of it changes while the signer runs. */
export interface SignerTerms {
  readonly type: 'assay-signer/1';
  readonly log: HashHex;
  readonly origin: string;
  /** The checkpoint key, hex. */
  readonly checkpoint_key: string;
  /** The program of the log's feeds, base58; null for a log that names no chain. */
  readonly program: string | null;
  /** The hashes of the keys that the log has promised. */
  readonly promised: readonly HashHex[];
  /** The token of an HSM whose keys it signs with; null where they are in files. */
  readonly hsm: HsmTerms | null;
}

/** Where an HSM is and which of its keys are the log's. The PIN comes from the environment. */
export interface HsmTerms {
  /** The PKCS#11 library of the device. */
  readonly module: string;
  /** The label of the token. */
  readonly token: string;
  /** The label of the key (CKA_LABEL) that signs checkpoints; null where it is in a file. */
  readonly checkpoint: string | null;
  /** The labels of the keys that sign reports. */
  readonly report: readonly string[];
}

const parseHsm: Parse<HsmTerms> = object<HsmTerms>({
  module: string(1, 4096),
  token: string(1, 32),
  checkpoint: nullable(string(1, 256)),
  report: array(string(1, 256), 0, 64),
});

const parseTerms: Parse<SignerTerms> = object<SignerTerms>({
  type: literal('assay-signer/1'),
  log: hashHex,
  origin: string(1, 512),
  checkpoint_key: hex(32),
  program: nullable(string(32, 44)),
  promised: array(hashHex, 1, 4096),
  hsm: nullable(parseHsm),
});

/** Where the parts of a signer are. */
export interface SignerFolder {
  readonly root: string;
  readonly terms: string;
  readonly keys: string;
  readonly memory: string;
  /** The socket, unless the service manager has made another. */
  readonly socket: string;
}

export function signerFolder(root: string): SignerFolder {
  return {
    root,
    terms: join(root, 'signer.json'),
    keys: join(root, 'keys'),
    memory: join(root, 'memory'),
    socket: join(root, 'signer.sock'),
  };
}

/** Reads what a signer knows of its log. Throws `not_found` or `bad_config`. */
export async function readTerms({ terms }: SignerFolder): Promise<SignerTerms> {
  let text: string;
  try {
    text = await readFile(terms, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const expected = 'the folder of a signer: assay signer init makes it';
    throw new Fault('not_found', 'signer', { at: terms, expected });
  }
  try {
    return parseTerms(JSON.parse(text) as WireValue, '');
  } catch (cause) {
    throw new Fault('bad_config', 'signer', { at: terms, found: messageOf(cause), cause });
  }
}

/** Writes it once. Throws `not_empty` where there is one. */
export async function writeTerms({ terms: path }: SignerFolder, terms: SignerTerms): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(terms, undefined, 2)}\n`);
  try {
    await writeDurable(path, bytes, { mode: 0o600, exclusive: true });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new Fault('not_empty', 'signer', { at: path, expected: 'none', found: 'one' });
  }
}
