import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createDecipheriv, createPrivateKey, createPublicKey, scryptSync } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { createKey, openKey, readPublicKey } from '@assay/node/key/keystore';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';

/** RFC 8032, section 7.1, test 2. */
const SEED = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb';
const PUBLIC = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
const SIGNATURE =
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00';

async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-keys-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function placed(t: TestContext, content: unknown, mode = 0o600): Promise<string> {
  const path = join(await scratch(t), 'key.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  return path;
}

const clear = { version: 1, algorithm: 'ed25519', public_key: PUBLIC, private_key: SEED };

/** Everything that a log could make of a value. */
function shown(value: unknown): string {
  const error = value instanceof Error ? [value.message, value.stack, String(value)] : [];
  const all = { depth: Infinity, showHidden: true, getters: true } as const;
  return [inspect(value), inspect(value, all), JSON.stringify(value), ...error].join('\n');
}

/** Whether `text` shows eight bytes of the seed in a row, as hex or base64 or a list of bytes. */
function shows(text: string, seed: Uint8Array): boolean {
  const flat = text.replaceAll(/\s/g, '');
  for (let at = 0; at + 8 <= seed.length; at += 1) {
    const part = Buffer.from(seed.subarray(at, at + 8));
    const forms = [part.toString('hex'), part.toString('base64').slice(0, 10), part.join(',')];
    if (forms.some((form) => flat.toLowerCase().includes(form.toLowerCase()))) return true;
  }
  return false;
}

test('a key file of RFC 8032 signs as the RFC says', async (t) => {
  const signer = await openKey(await placed(t, clear));
  assert.equal(formatHex(signer.publicKey), PUBLIC);
  assert.equal(formatHex(signer.sign(Uint8Array.of(0x72))), SIGNATURE);
  assert.equal(Object.getPrototypeOf(signer.sign(new Uint8Array(0))), Uint8Array.prototype);
});

for (const passphrase of [undefined, 'corréct horse']) {
  const kind = passphrase === undefined ? 'in the clear' : 'under a passphrase';

  test(`a key ${kind}: made, opened, and the same`, async (t) => {
    const folder = join(await scratch(t), 'keys');
    const path = join(folder, 'report.json');
    const made = await createKey(path, { passphrase });
    const opened = await openKey(path, { passphrase: passphrase?.normalize('NFD') });
    assert.deepEqual(opened.publicKey, made.publicKey);
    const message = Uint8Array.of(1, 2, 3);
    assert.deepEqual(opened.sign(message), made.sign(message));
    assert.ok(nodeVerifySignature(made.publicKey, message, made.sign(message)));
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['report.json']);
    const file = JSON.parse(await readFile(path, 'utf8'));
    const members = ['version', 'algorithm', 'public_key'];
    members.push(passphrase === undefined ? 'private_key' : 'encrypted');
    assert.deepEqual(Object.keys(file), members);
    assert.equal(file.public_key, formatHex(made.publicKey));
  });

  test(`a key ${kind} is never written over`, async (t) => {
    const path = join(await scratch(t), 'key.json');
    await createKey(path, { passphrase });
    const before = await readFile(path);
    await assert.rejects(createKey(path, { passphrase }), { name: 'Fault', code: 'not_empty' });
    assert.deepEqual(await readFile(path), before);
  });

  test(`nothing that a key ${kind} prints shows its private half`, async (t) => {
    const path = await placed(t, clear);
    let seed = parseHex(SEED, 32);
    let signer = await openKey(path);
    assert.ok(shows(shown(clear), seed) && shows(shown({ seed }), seed), 'a leak would be seen');
    if (passphrase !== undefined) {
      const locked = join(await scratch(t), 'key.json');
      signer = await createKey(locked, { passphrase });
      const text = await readFile(locked, 'utf8');
      // Only decrypting tells the seed of a made key; its file must not hold it.
      seed = seedOf(text, passphrase);
      assert.equal(formatHex(publicOf(seed)), formatHex(signer.publicKey));
      assert.ok(!shows(text, seed));
    }
    assert.ok(!shows(shown(signer), seed));
    assert.ok(!shows(shown(Object.getOwnPropertyDescriptors(signer)), seed));
    assert.ok(!shows(shown(signer.sign), seed));
    assert.throws(
      () => signer.sign('text' as never),
      (error) => error instanceof TypeError && !shows(shown(error), seed),
    );
  });
}

test('no two files share salt, nonce or ciphertext', async (t) => {
  const folder = await scratch(t);
  const seen = new Set<string>();
  for (const name of ['a', 'b']) {
    await createKey(join(folder, name), { passphrase: 'x' });
    const { encrypted } = JSON.parse(await readFile(join(folder, name), 'utf8'));
    for (const member of ['salt', 'nonce', 'ciphertext', 'tag']) seen.add(encrypted[member]);
  }
  assert.equal(seen.size, 8);
});

test('the public half of a file needs no passphrase', async (t) => {
  const locked = join(await scratch(t), 'key.json');
  const { publicKey } = await createKey(locked, { passphrase: 'right' });
  assert.deepEqual(await readPublicKey(locked), publicKey);
  assert.equal(formatHex(await readPublicKey(await placed(t, clear))), PUBLIC);
  await assert.rejects(readPublicKey(`${locked}.none`), { code: 'key_missing' });
});

test('the passphrase must be the right one, there, and asked for', async (t) => {
  const locked = join(await scratch(t), 'key.json');
  await createKey(locked, { passphrase: 'right' });
  const fault = { name: 'Fault', code: 'key_locked' };
  await assert.rejects(openKey(locked), fault);
  for (const passphrase of ['wrong', '', 'right ']) {
    await assert.rejects(openKey(locked, { passphrase }), fault);
  }
  await assert.rejects(openKey(await placed(t, clear), { passphrase: 'right' }), fault);
  await assert.rejects(createKey(`${locked}.new`, { passphrase: '' }), { code: 'bad_config' });
  assert.deepEqual(await readdir(join(locked, '..')), ['key.json']);
});

test('a locked file that was altered does not open', async (t) => {
  const locked = join(await scratch(t), 'key.json');
  await createKey(locked, { passphrase: 'x' });
  const file = JSON.parse(await readFile(locked, 'utf8'));
  for (const member of ['salt', 'nonce', 'ciphertext', 'tag']) {
    const hex: string = file.encrypted[member];
    const altered = `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`;
    const path = await placed(t, { ...file, encrypted: { ...file.encrypted, [member]: altered } });
    await assert.rejects(openKey(path, { passphrase: 'x' }), { code: 'key_locked' }, member);
  }
  const path = await placed(t, { ...file, public_key: PUBLIC });
  await assert.rejects(openKey(path, { passphrase: 'x' }), { code: 'key_locked' }, 'public_key');
});

test('a file that others may read, or that is not there', async (t) => {
  const path = await placed(t, clear);
  for (const mode of [0o640, 0o604, 0o620, 0o601, 0o644]) {
    await chmod(path, mode);
    await assert.rejects(openKey(path), {
      code: 'key_exposed',
      found: `mode 0${mode.toString(8)}`,
    });
  }
  await chmod(path, 0o400);
  await openKey(path);
  await assert.rejects(openKey(`${path}.not`), { code: 'key_missing' });
  await assert.rejects(openKey(join(path, 'below')), { code: 'key_missing' });
});

test('a folder that others may enter takes no key', async (t) => {
  const folder = join(await scratch(t), 'open');
  await mkdir(folder);
  await chmod(folder, 0o755);
  await assert.rejects(createKey(join(folder, 'key.json')), { code: 'key_exposed' });
  assert.deepEqual(await readdir(folder), []);
});

test('a malformed file is refused, and nothing of its content is shown', async (t) => {
  const seed = parseHex(SEED, 32);
  const { private_key: _, ...open } = clear;
  const files: Record<string, unknown> = {
    'not JSON': `{"private_key":"${SEED}",}`,
    'cut off': JSON.stringify(clear).slice(0, -3),
    empty: '',
    'an array': [clear],
    'the bare key': SEED,
    'a string': JSON.stringify(SEED),
    'no private key': open,
    'no public key': { version: 1, algorithm: 'ed25519', private_key: SEED },
    'another version': { ...clear, version: 2 },
    'another algorithm': { ...clear, algorithm: 'x25519' },
    'a member more': { ...clear, comment: SEED },
    'the key as a name': { ...clear, [SEED]: 1 },
    'both forms': { ...clear, encrypted: {} },
    'upper case': { ...clear, private_key: SEED.toUpperCase() },
    'too short': { ...clear, private_key: SEED.slice(2) },
    'too long': { ...clear, private_key: `${SEED}00` },
    'another public key': {
      ...clear,
      public_key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    },
    'a large file': JSON.stringify(clear) + ' '.repeat(5000),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = await placed(t, content);
    await assert.rejects(openKey(path), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'malformed', name);
      assert.ok(!shows(shown(error), seed), name);
      return true;
    });
  }
});

test('a locked file with other costs than ours is refused before any work', async (t) => {
  const locked = join(await scratch(t), 'key.json');
  await createKey(locked, { passphrase: 'x' });
  const file = JSON.parse(await readFile(locked, 'utf8'));
  const others = [
    { n: 2 ** 30 },
    { r: 1 },
    { p: 1_000_000 },
    { kdf: 'pbkdf2' },
    { cipher: 'none' },
  ];
  for (const other of others) {
    const path = await placed(t, { ...file, encrypted: { ...file.encrypted, ...other } });
    await assert.rejects(openKey(path, { passphrase: 'x' }), { code: 'malformed' });
  }
});

test('a folder or a pipe in place of a file is not waited for', { timeout: 60_000 }, async (t) => {
  const folder = await scratch(t);
  await mkdir(join(folder, 'folder'), { mode: 0o700 });
  await assert.rejects(openKey(join(folder, 'folder')), { code: 'malformed' });
  execFileSync('mkfifo', ['-m', '600', join(folder, 'pipe')]);
  await assert.rejects(openKey(join(folder, 'pipe')), { code: 'malformed' });
});

function publicOf(seed: Uint8Array): Uint8Array {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const { x } = createPublicKey(
    createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
  ).export({ format: 'jwk' });
  return new Uint8Array(Buffer.from(x as string, 'base64url'));
}

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');

/** What the file says in its own members, read without the code under test. */
function seedOf(text: string, passphrase: string): Uint8Array {
  const { public_key: publicKey, encrypted } = JSON.parse(text);
  const { n: N, r, p, salt, nonce, ciphertext, tag } = encrypted;
  assert.deepEqual([N, r, p], [32_768, 8, 1]);
  const key = scryptSync(passphrase.normalize('NFKC'), bytes(salt), 32, {
    N,
    r,
    p,
    maxmem: 2 ** 27,
  });
  const decipher = createDecipheriv('aes-256-gcm', key, bytes(nonce));
  decipher.setAAD(bytes(publicKey)).setAuthTag(bytes(tag));
  return new Uint8Array(Buffer.concat([decipher.update(bytes(ciphertext)), decipher.final()]));
}
