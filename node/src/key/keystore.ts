import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  scrypt,
  sign,
} from 'node:crypto';
import { constants, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { hex, isObject, literal, object, type Parse } from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import { isTorsionFreeKey } from '@assay/verifier/ed25519/signature';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';

export interface KeyOptions {
  /** The key is encrypted with it. Without it the key is stored in the clear. */
  readonly passphrase?: string | undefined;
  /**
   * The 32 bytes that the key is made from, which are then wiped. The default is random. It is for keys that
   * everybody may know.
   */
  readonly seed?: Uint8Array | undefined;
}

/**
 * The cost of scrypt: 32 MB and about 0.1 s per try (RFC 7914). It is fixed, so that a file cannot ask for
 * more.
 */
const SCRYPT = { n: 32_768, r: 8, p: 1 } as const;

const MAX_FILE_BYTES = 4096;

/** The bytes of a PKCS #8 private key of Ed25519 before its 32-byte seed (RFC 8410, section 7). */
const PKCS8_PREFIX = parseHex('302e020100300506032b657004220420', 16);

interface Encrypted {
  readonly kdf: 'scrypt';
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly cipher: 'aes-256-gcm';
  readonly nonce: string;
  readonly ciphertext: string;
  readonly tag: string;
}

interface Common {
  readonly version: 1;
  readonly algorithm: 'ed25519';
  readonly public_key: string;
}

/** The seed of 32 bytes (RFC 8032) in hex, or the same bytes encrypted with the public key as AAD. */
type KeyFile =
  | (Common & { readonly private_key: string })
  | (Common & { readonly encrypted: Encrypted });

const parseCommon = {
  version: literal(1),
  algorithm: literal('ed25519'),
  public_key: hex(32),
} as const;

const parseClear: Parse<Common & { readonly private_key: string }> = object({
  ...parseCommon,
  private_key: hex(32),
});

const parseEncrypted: Parse<Common & { readonly encrypted: Encrypted }> = object({
  ...parseCommon,
  encrypted: object<Encrypted>({
    kdf: literal('scrypt'),
    n: literal(SCRYPT.n),
    r: literal(SCRYPT.r),
    p: literal(SCRYPT.p),
    salt: hex(16),
    cipher: literal('aes-256-gcm'),
    nonce: hex(12),
    ciphertext: hex(32),
    tag: hex(16),
  }),
});

/**
 * Makes an Ed25519 key and writes it, durably and with mode 0600, into a folder of mode 0700 that is created if
 * it is missing. Throws `not_empty` if there is a file, `key_exposed` if others may enter the folder, and
 * `bad_config` for an empty passphrase.
 */
export async function createKey(path: string, options: KeyOptions = {}): Promise<Signer> {
  const { passphrase } = options;
  if (passphrase === '') {
    throw new Fault('bad_config', 'passphrase', { expected: 'one', found: 'an empty one' });
  }
  const folder = dirname(resolve(path));
  await ensureFolder(folder, { mode: 0o700 });
  requirePrivate((await stat(folder)).mode, 'folder of keys', folder);
  const seed = options.seed ?? randomBytes(32);
  try {
    const signer = signerOf(seed);
    if (!isTorsionFreeKey(signer.publicKey)) throw new TypeError('the key has torsion');
    const common: Common = {
      version: 1,
      algorithm: 'ed25519',
      public_key: formatHex(signer.publicKey),
    };
    const file: KeyFile =
      passphrase === undefined
        ? { ...common, private_key: formatHex(seed) }
        : { ...common, encrypted: await encrypt(seed, signer.publicKey, passphrase) };
    const bytes = Buffer.from(`${JSON.stringify(file, undefined, 2)}\n`);
    await writeDurable(path, bytes, { mode: 0o600, exclusive: true });
    return signer;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new Fault('not_empty', 'key file', { at: path, expected: 'none', found: 'one' });
  } finally {
    seed.fill(0);
  }
}

/**
 * Opens a key for signing. Throws `key_missing`; `key_exposed` if the group or others have any right on the
 * file; `key_locked` if the passphrase is missing or wrong, or if one is given although the key is stored in
 * the clear, so that nobody believes it to be locked; and `malformed`, also if the public key is not the
 * private one's. No error reveals anything of the file's contents.
 */
export async function openKey(path: string, options: KeyOptions = {}): Promise<Signer> {
  const file = parseKeyFile(await readKeyFile(path), path);
  const publicKey = parseHex(file.public_key, 32);
  const seed =
    'encrypted' in file
      ? await decrypt(file.encrypted, publicKey, options.passphrase, path)
      : clear(file.private_key, options.passphrase, path);
  try {
    const signer = signerOf(seed);
    if (equalBytes(signer.publicKey, publicKey)) return signer;
    throw new Fault('malformed', 'key file', {
      at: path,
      expected: 'the public key of its private key',
      found: 'another',
    });
  } finally {
    seed.fill(0);
  }
}

/** Reads the public half of a key file, for which no passphrase is needed. Throws what `openKey` throws. */
export async function readPublicKey(path: string): Promise<Uint8Array> {
  return parseHex(parseKeyFile(await readKeyFile(path), path).public_key, 32);
}

/**
 * The signer of an Ed25519 seed of 32 bytes (RFC 8032). The key itself stays in OpenSSL's memory, and is not
 * visible if somebody prints the signer.
 */
export function signerOf(seed: Uint8Array): Signer {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const key: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return Object.freeze({
    publicKey: new Uint8Array(Buffer.from(x as string, 'base64url')),
    sign: (message: Uint8Array) => {
      // Without this, node:crypto would sign the UTF-8 of a text.
      if (!(message instanceof Uint8Array)) throw new TypeError('message must be a Uint8Array');
      return new Uint8Array(sign(null, message, key));
    },
  });
}

async function readKeyFile(path: string): Promise<string> {
  try {
    // Without O_NONBLOCK, opening a named pipe in its place would wait.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > MAX_FILE_BYTES) {
        throw new Fault('malformed', 'key file', { at: path, expected: 'a small file' });
      }
      requirePrivate(stats.mode, 'key file', path);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    const expected = 'a key of the log: put its file there, from where its keys are kept';
    throw new Fault('key_missing', 'key file', { at: path, expected, found: 'none there' });
  }
}

function requirePrivate(mode: number, title: string, path: string): void {
  if ((mode & 0o077) === 0) return;
  throw new Fault('key_exposed', title, {
    at: path,
    expected: 'no rights for group and others',
    found: `mode ${(mode & 0o777).toString(8).padStart(4, '0')}`,
  });
}

function parseKeyFile(text: string, path: string): KeyFile {
  try {
    const value = JSON.parse(text) as WireValue;
    if (isObject(value) && Object.hasOwn(value, 'encrypted')) return parseEncrypted(value, '');
    return parseClear(value, '');
  } catch (error) {
    // The messages of both kinds of error quote the text, so only the place is passed on.
    const place = error instanceof Fault ? error.at : undefined;
    throw new Fault('malformed', 'key file', {
      at: place === undefined || place === '' ? path : `${path}: ${place}`,
      expected: 'a key file of version 1',
    });
  }
}

function clear(privateKey: string, passphrase: string | undefined, path: string): Uint8Array {
  if (passphrase === undefined) return parseHex(privateKey, 32);
  throw new Fault('key_locked', 'key file', {
    at: path,
    expected: 'no passphrase for a key in the clear',
    found: 'one',
  });
}

async function encrypt(
  seed: Uint8Array,
  publicKey: Uint8Array,
  passphrase: string,
): Promise<Encrypted> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await stretch(passphrase, salt), nonce);
  cipher.setAAD(publicKey);
  const ciphertext = Buffer.concat([cipher.update(seed), cipher.final()]);
  return {
    kdf: 'scrypt',
    ...SCRYPT,
    salt: formatHex(salt),
    cipher: 'aes-256-gcm',
    nonce: formatHex(nonce),
    ciphertext: formatHex(ciphertext),
    tag: formatHex(cipher.getAuthTag()),
  };
}

async function decrypt(
  encrypted: Encrypted,
  publicKey: Uint8Array,
  passphrase: string | undefined,
  path: string,
): Promise<Uint8Array> {
  if (passphrase === undefined) {
    throw new Fault('key_locked', 'key file', {
      at: path,
      expected: 'a passphrase',
      found: 'none',
    });
  }
  const key = await stretch(passphrase, parseHex(encrypted.salt, 16));
  const decipher = createDecipheriv('aes-256-gcm', key, parseHex(encrypted.nonce, 12));
  decipher.setAAD(publicKey);
  decipher.setAuthTag(parseHex(encrypted.tag, 16));
  try {
    const seed = decipher.update(parseHex(encrypted.ciphertext, 32));
    decipher.final();
    return seed;
  } catch {
    throw new Fault('key_locked', 'key file', {
      at: path,
      expected: 'the passphrase that the key was made with, and the file as it was written',
    });
  }
}

/**
 * Derives 32 bytes. The passphrase is normalised, because another system may produce another normal form of the
 * same text.
 */
function stretch(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolveKey, reject) => {
    const { n: N, r, p } = SCRYPT;
    // OpenSSL's own limit is exactly what these take, without its bookkeeping.
    const options = { N, r, p, maxmem: 2 * 128 * N * r };
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) => {
      if (error === null) resolveKey(key);
      else reject(error);
    });
  });
}
