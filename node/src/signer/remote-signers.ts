import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatCheckpoint } from '@assay/core/log/checkpoint';
import type { ReportSigner } from '../key/report-signer.ts';
import {
  checkpointReader,
  type CheckpointSigner,
  type ProvePrefix,
  noteOf,
} from '../ledger/checkpoint-signer.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { SignerClient } from './signer-client.ts';
import type { SignerAnswer } from './signer-message.ts';

/** What a signer says of itself. */
export type SignerKeys = Extract<SignerAnswer, { readonly give: 'keys' }>;

export function signerKeys(client: SignerClient): Promise<SignerKeys> {
  return client.ask('keys', { ask: 'keys' });
}

/** The checkpoint key of a signer. Each signature is verified before it is used. */
export function remoteCheckpointSigner(
  sha256: Sha256,
  client: SignerClient,
  origin: string,
  publicKey: Uint8Array,
): CheckpointSigner {
  // The size of the newest head that the signer has signed, as far as is known here.
  let known = 0;
  const note = noteOf(sha256, origin, publicKey);
  const ask = async (size: number, root: Hash, prove: ProvePrefix): Promise<Uint8Array> => {
    const from = known > 0 && known < size ? known : 0;
    const proof = from === 0 ? [] : (await prove(from)).map((hash) => hashHex(hash));
    const { signature } = await client.ask('signature', {
      ask: 'checkpoint',
      origin,
      size,
      root: hashHex(root),
      from,
      proof,
    });
    return parseHex(signature, 64);
  };
  return {
    ...checkpointReader(sha256, origin, publicKey),
    remembers: true,
    async sign(size, root, prove) {
      let signature: Uint8Array;
      try {
        signature = await ask(size, root, prove);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'wrong_head') throw error;
        // The signer's own head is what a proof has to begin with.
        known = Number(error.expected);
        signature = await ask(size, root, prove);
      }
      const text = formatCheckpoint({ origin, size, root });
      requireGood(publicKey, formatUtf8(text), signature);
      known = size;
      return note(text, signature);
    },
  };
}

/** A report key of a signer. Each signature is verified before it is used. */
export function remoteReportSigner(client: SignerClient, publicKey: Uint8Array): ReportSigner {
  return {
    publicKey,
    async sign(message, what) {
      const question = { ask: 'sign', key: formatHex(publicKey), what } as const;
      const { signature } = await client.ask('signature', question);
      const bytes = parseHex(signature, 64);
      requireGood(publicKey, message, bytes);
      return bytes;
    },
    async signedInPlaceOf(report) {
      const answer = await client.ask('report', { ask: 'report', report });
      return answer.report ?? undefined;
    },
  };
}

function requireGood(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
  if (nodeVerifySignature(publicKey, message, signature)) return;
  throw new Fault('refused', 'signer', {
    expected: `a signature of ${formatHex(publicKey)} over what was asked for`,
    found: 'another',
  });
}

/** Throws `refused` unless a signer is that of a log with this checkpoint key, and has this report key. */
export function requireSignerOf(
  keys: SignerKeys,
  of: {
    readonly log: string;
    readonly origin: string;
    readonly checkpoint: Uint8Array;
    readonly report: string;
  },
): void {
  const refuse = (at: string, expected: string, found: string): Fault =>
    new Fault('refused', 'signer', { at, expected, found });
  if (keys.log !== of.log) throw refuse('log', of.log, keys.log);
  if (keys.origin !== of.origin) throw refuse('origin', of.origin, keys.origin);
  if (!equalBytes(parseHex(keys.checkpoint_key, 32), of.checkpoint)) {
    const expected = `${formatHex(of.checkpoint)}, which the log has in force (after a change of the key, assay signer init makes the signer again)`;
    throw refuse('checkpoint key', expected, keys.checkpoint_key);
  }
  if (!keys.report_keys.includes(of.report)) {
    throw refuse(
      'report key',
      `${of.report}, which the log has in force`,
      keys.report_keys.join(', '),
    );
  }
}
