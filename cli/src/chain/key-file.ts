import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import type { MessageSigner } from '@assay/chain/client/key-signer';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';

/** The bytes of a PKCS #8 private key of Ed25519 before its 32-byte seed (RFC 8410, section 7), in hex. */
const PKCS8_PREFIX = '302e020100300506032b657004220420';
const MAX_BYTES = 4096;

/**
 * Opens the key of a payer or a program: a key file of this project, or one of Solana's command line, which is
 * a JSON array of 64 numbers (seed, then public key) in the clear, whatever the passphrase is. Throws what
 * `openKey` of @assay/node/key/keystore throws; no error reveals anything of the file's contents.
 */
export async function openChainKey(
  path: string,
  passphrase: string | undefined,
): Promise<MessageSigner> {
  const bytes = await readArray(path);
  if (bytes === undefined) {
    const { openKey } = await import('@assay/node/key/keystore');
    return openKey(path, { passphrase });
  }
  try {
    return signerOf(bytes, path);
  } finally {
    bytes.fill(0);
  }
}

/** The 64 bytes of Solana's form; undefined for a file of another form, or if there is none. */
async function readArray(path: string): Promise<Uint8Array | undefined> {
  // Without O_NONBLOCK, opening a named pipe in its place would wait.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const text = await file.readFile('utf8');
    if (!text.trimStart().startsWith('[')) return undefined;
    if ((stats.mode & 0o077) !== 0) {
      throw new Fault('key_exposed', 'key file', {
        at: path,
        expected: 'no rights for group and others',
        found: `mode ${(stats.mode & 0o777).toString(8).padStart(4, '0')}`,
      });
    }
    return parseArray(text, path);
  } finally {
    await file.close();
  }
}

function parseArray(text: string, path: string): Uint8Array {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw malformed(path, '64 numbers');
  }
  const isByte = (each: unknown): boolean => Number.isInteger(each) && (each as number) >>> 8 === 0;
  if (!Array.isArray(value) || value.length !== 64 || !value.every(isByte)) {
    throw malformed(path, '64 numbers, each a byte');
  }
  return Uint8Array.from(value as number[]);
}

/** The key itself stays in OpenSSL's memory, and is not visible if somebody prints the signer. */
function signerOf(bytes: Uint8Array, path: string): MessageSigner {
  const der = Buffer.concat([Buffer.from(PKCS8_PREFIX, 'hex'), bytes.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(x as string, 'base64url'));
  if (!equalBytes(publicKey, bytes.subarray(32))) {
    throw malformed(path, 'the public key of its private key');
  }
  return Object.freeze({
    publicKey,
    sign: (message: Uint8Array) => new Uint8Array(sign(null, message, key)),
  });
}

function malformed(at: string, expected: string): Fault {
  return new Fault('malformed', 'key file', { at, expected });
}
