import { createRequire } from 'node:module';
import { join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { KeyHolder } from './key-holder.ts';
import type { HsmKeys } from './run-signer.ts';
import type { HsmTerms } from './signer-terms.ts';

/** Numbers of PKCS#11 3.0 (OASIS). */
const CKF_SERIAL_SESSION = 4;
const CKU_USER = 1;
const CKO_PUBLIC_KEY = 2;
const CKO_PRIVATE_KEY = 3;
const CKA_CLASS = 0;
const CKA_LABEL = 3;
const CKA_EC_POINT = 0x181;
const CKM_EDDSA = 0x1057;

interface Attribute {
  readonly type: number;
  readonly value?: Buffer | number | string;
}

/** What is used of the npm package pkcs11js, by the names of PKCS#11. */
interface Pkcs11 {
  load(path: string): void;
  close(): void;
  C_Initialize(): void;
  C_Finalize(): void;
  C_GetSlotList(tokenPresent: boolean): readonly Buffer[];
  C_GetTokenInfo(slot: Buffer): { readonly label: string };
  C_OpenSession(slot: Buffer, flags: number): Buffer;
  C_CloseSession(session: Buffer): void;
  C_Login(session: Buffer, user: number, pin: string): void;
  C_FindObjectsInit(session: Buffer, template: readonly Attribute[]): void;
  C_FindObjects(session: Buffer, count: number): readonly Buffer[];
  C_FindObjectsFinal(session: Buffer): void;
  C_GetAttributeValue(
    session: Buffer,
    object: Buffer,
    template: readonly Attribute[],
  ): readonly { readonly value: Buffer }[];
  C_SignInit(session: Buffer, mechanism: { readonly mechanism: number }, key: Buffer): void;
  C_Sign(session: Buffer, data: Buffer, out: Buffer): Buffer;
}

/** The version that was tried. */
const TRIED = 'pkcs11js@2.1.7';

/**
 * Opens the Ed25519 keys of an HSM by their labels, with CKM_EDDSA. The binding is the npm package pkcs11js, which the
 * operator installs in the folder `beside`, or beside Assay: it is compiled at its installation, and nobody else needs
 * it. Throws `unsupported` without it, `key_locked` without a PIN or with a wrong one, and `key_missing` for a token or a
 * label that is not there, or is there twice.
 */
export async function openHsmKeys(
  terms: HsmTerms,
  pin: string | undefined,
  beside?: string,
): Promise<HsmKeys> {
  if (pin === undefined) {
    const expected = 'its PIN in ASSAY_HSM_PIN';
    throw new Fault('key_locked', 'HSM', { at: terms.token, expected, found: 'none' });
  }
  const token = new HsmToken(load(beside), terms, pin);
  try {
    token.open();
    const labels = [...(terms.checkpoint === null ? [] : [terms.checkpoint]), ...terms.report];
    return { keys: labels.map((label) => token.key(label)), close: () => token.close() };
  } catch (error) {
    token.close();
    throw error;
  }
}

function load(beside: string | undefined): Pkcs11 {
  const from = beside === undefined ? import.meta.url : join(beside, 'package.json');
  try {
    const { PKCS11 } = createRequire(from)('pkcs11js') as { readonly PKCS11: new () => Pkcs11 };
    return new PKCS11();
  } catch (cause) {
    throw new Fault('unsupported', 'HSM', {
      expected: `the npm package pkcs11js: npm install --no-save ${TRIED}, or ASSAY_PKCS11JS`,
      found: messageOf(cause).split('\n')[0] ?? '',
      cause,
    });
  }
}

class HsmToken {
  readonly #pkcs11: Pkcs11;
  readonly #terms: HsmTerms;
  readonly #pin: string;
  #isLoaded = false;
  /** Why the token has not taken the PIN. */
  #refused: Fault | undefined;
  #session: Buffer | undefined;
  /** How many times it was opened: a handle is only good for the session in which it was found. */
  #opened = 0;

  constructor(pkcs11: Pkcs11, terms: HsmTerms, pin: string) {
    this.#pkcs11 = pkcs11;
    this.#terms = terms;
    this.#pin = pin;
  }

  /** Opens the library, the token and a session. */
  open(): void {
    const { module, token } = this.#terms;
    try {
      this.#pkcs11.load(module);
      this.#isLoaded = true;
      this.#pkcs11.C_Initialize();
    } catch (cause) {
      const expected = 'a PKCS#11 library';
      throw new Fault('key_missing', 'HSM', {
        at: module,
        expected,
        found: messageOf(cause),
        cause,
      });
    }
    const labels = new Map(
      this.#pkcs11
        .C_GetSlotList(true)
        .map((slot) => [this.#pkcs11.C_GetTokenInfo(slot).label.trim(), slot]),
    );
    const slot = labels.get(token);
    if (slot === undefined) {
      const found = [...labels.keys()].join(', ') || 'no token';
      throw new Fault('key_missing', 'HSM', { at: module, expected: `the token ${token}`, found });
    }
    const session = this.#pkcs11.C_OpenSession(slot, CKF_SERIAL_SESSION);
    this.#session = session;
    this.#opened += 1;
    // A token counts wrong PINs and locks itself: one that was refused is not tried again by this process.
    if (this.#refused !== undefined) throw this.#refused;
    try {
      this.#pkcs11.C_Login(session, CKU_USER, this.#pin);
    } catch (cause) {
      const found = messageOf(cause);
      const fault = new Fault('key_locked', 'HSM', {
        at: token,
        expected: 'its PIN',
        found,
        cause,
      });
      if (/PIN/.test(found)) this.#refused = fault;
      throw fault;
    }
  }

  close(): void {
    this.#session = undefined;
    if (!this.#isLoaded) return;
    this.#isLoaded = false;
    try {
      // This ends every session.
      this.#pkcs11.C_Finalize();
    } catch {
      // It was not initialised, or the device is gone.
    }
    this.#pkcs11.close();
  }

  key(label: string): KeyHolder {
    const publicKey = pointOf(
      this.#attribute(this.#find(CKO_PUBLIC_KEY, label), CKA_EC_POINT),
      label,
    );
    let handle = this.#find(CKO_PRIVATE_KEY, label);
    let foundIn = this.#opened;
    const sign = (message: Uint8Array): Uint8Array => {
      if (foundIn !== this.#opened) {
        handle = this.#find(CKO_PRIVATE_KEY, label);
        foundIn = this.#opened;
      }
      this.#pkcs11.C_SignInit(this.#live(), { mechanism: CKM_EDDSA }, handle);
      const out = this.#pkcs11.C_Sign(this.#live(), Buffer.from(message), Buffer.alloc(64));
      return new Uint8Array(out);
    };
    return {
      publicKey,
      sign: (message) => {
        let signature: Uint8Array;
        try {
          signature = sign(message);
        } catch {
          // A device that was taken out, or restarted, has forgotten the session.
          try {
            this.close();
            this.open();
            signature = sign(message);
          } catch (cause) {
            const found = messageOf(cause);
            throw new Fault('signer_away', 'HSM', {
              at: label,
              expected: 'a signature',
              found,
              cause,
            });
          }
        }
        if (nodeVerifySignature(publicKey, message, signature)) return signature;
        const expected = 'an Ed25519 signature that verifies (RFC 8032)';
        throw new Fault('signer_away', 'HSM', { at: label, expected, found: 'another' });
      },
    };
  }

  #live(): Buffer {
    if (this.#session !== undefined) return this.#session;
    throw new Fault('signer_away', 'HSM', { at: this.#terms.token, expected: 'a session' });
  }

  #find(kind: number, label: string): Buffer {
    const session = this.#live();
    this.#pkcs11.C_FindObjectsInit(session, [
      { type: CKA_CLASS, value: kind },
      { type: CKA_LABEL, value: label },
    ]);
    const found = this.#pkcs11.C_FindObjects(session, 2);
    this.#pkcs11.C_FindObjectsFinal(session);
    const [handle] = found;
    if (handle !== undefined && found.length === 1) return handle;
    const what = kind === CKO_PRIVATE_KEY ? 'private' : 'public';
    throw new Fault('key_missing', 'HSM', {
      at: this.#terms.token,
      expected: `one ${what} key with the label ${label}`,
      found: `${found.length}`,
    });
  }

  #attribute(object: Buffer, type: number): Uint8Array {
    const [attribute] = this.#pkcs11.C_GetAttributeValue(this.#live(), object, [{ type }]);
    return new Uint8Array(attribute?.value ?? []);
  }
}

/** The DER OCTET STRING of 32 bytes in which most devices wrap a point (PKCS#11 2.40). */
const OCTET_STRING = Uint8Array.of(0x04, 0x20);

/** The public key in a CKA_EC_POINT: 32 bytes (PKCS#11 3.0), or the same in an OCTET STRING. */
function pointOf(point: Uint8Array, label: string): Uint8Array {
  if (point.length === 32) return point;
  if (point.length === 34 && equalBytes(point.slice(0, 2), OCTET_STRING)) return point.slice(2);
  throw new Fault('malformed', 'HSM', {
    at: label,
    expected: 'an Ed25519 key of 32 bytes',
    found: `${point.length} bytes`,
  });
}
