import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Policies } from '@assay/core/kind/genesis';
import { appendGenesis } from '@assay/node/data/genesis';
import { NO_POLICIES } from '@assay/node/data/init';
import { checkpointSigner, type Signer } from '@assay/node/ledger/checkpoint-signer';
import type { HeadGuard } from '@assay/node/ledger/guard/head-guard';
import { type EntryDraft, Ledger, type LedgerOptions } from '@assay/node/ledger/ledger';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** An Ed25519 signer of this process alone. */
export function throwAwaySigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  return {
    publicKey: new Uint8Array(Buffer.from(x as string, 'base64url')),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  };
}

export interface BenchLedgerOptions {
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  readonly now?: () => number;
  readonly onPublish?: NonNullable<LedgerOptions['onPublish']>;
  readonly policies?: Policies;
  readonly reportSigner?: Signer;
}

/** A ledger as a node opens it, with its genesis. */
export async function benchLedger(options: BenchLedgerOptions): Promise<Ledger> {
  const { store, guard, onPublish } = options;
  const origin = `development/${randomBytes(6).toString('hex')}`;
  const signer = checkpointSigner(nodeSha256, origin, throwAwaySigner());
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store,
    guard,
    signer,
    now: options.now ?? (() => Math.floor(Date.now() / 1000)),
    askHeads: null,
    ...(onPublish === undefined ? {} : { onPublish }),
  });
  await appendGenesis(
    ledger,
    nodeSha256,
    {
      report: options.reportSigner ?? throwAwaySigner(),
      nextReport: throwAwaySigner(),
      recovery: throwAwaySigner(),
    },
    {
      origin,
      checkpointVkey: signer.vkey,
      chain: null,
      program: null,
      policies: options.policies ?? NO_POLICIES,
    },
  );
  return ledger;
}

/** What an entry with a six-digit number has beside the note's text. */
const ENTRY_FRAME =
  '{"at":"2026-01-01T00:00:00Z","body":{"text":""},"kind":"note/1","prev":"","seq":100000,"v":1}'
    .length + 64;

export const ENTRY_BYTES = 1024;

/** Plain words, other ones in each, that make up an entry of `ENTRY_BYTES`. */
export function noteText(): string {
  return randomBytes(ENTRY_BYTES)
    .toString('base64')
    .slice(0, ENTRY_BYTES - ENTRY_FRAME);
}

export function noteDraft(): EntryDraft {
  return { kind: 'note/1', body: { text: noteText() } };
}
