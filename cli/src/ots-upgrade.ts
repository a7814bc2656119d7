import { calendarsOf } from '@assay/core/ots/calendars';
import { graft } from '@assay/core/ots/graft';
import { otsHashes } from '@assay/core/ots/hashes';
import type { Proof } from '@assay/core/ots/proof';
import { formatHex } from '@assay/core/hex';
import type { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { OtsFile } from './ots-file.ts';

/** Promises that are asked about in one call: a stamp has some four. */
const MAX_ASKED = 32;

/** What a calendar said of its promise. */
export interface Asked {
  readonly uri: string;
  readonly kind: 'attested' | 'pending' | 'failed' | 'refused';
  /** In words; empty where it is attested. */
  readonly reason: string;
}

export interface Upgraded {
  readonly proof: Proof;
  readonly asked: readonly Asked[];
  /** Whether the proof holds anything that it did not. */
  readonly changed: boolean;
}

/**
 * Asks the calendar of each promise without a block, all at once, and merges what they answer; nothing
 * that was there is lost. A calendar that another one was faster than is asked all the same.
 */
export async function upgradeOts(
  { proof, attested }: OtsFile,
  client: CalendarClient,
): Promise<Upgraded> {
  const done = new Set(
    calendarsOf(proof.timestamp).flatMap((each) => (each.attested ? [each.uri] : [])),
  );
  const open = new Map<string, { readonly uri: string; readonly message: Uint8Array }>();
  for (const { attestation, message } of attested) {
    if (attestation.kind !== 'pending' || done.has(attestation.uri)) continue;
    open.set(`${attestation.uri} ${formatHex(message)}`, { uri: attestation.uri, message });
  }
  const promises = [...open.values()];
  const answers = await Promise.all(
    promises.slice(0, MAX_ASKED).map(async ({ uri, message }) => {
      return { uri, message, answer: await client.upgrade(uri, message) };
    }),
  );
  const hashes = otsHashes(nodeSha256);
  let { timestamp } = proof;
  const asked: Asked[] = [];
  for (const { uri, message, answer } of answers) {
    if (answer.kind === 'attested') {
      timestamp = graft(timestamp, proof.digest, message, answer.timestamp, hashes);
    }
    asked.push(
      client.isAttestor(uri)
        ? { uri, kind: answer.kind, reason: answer.kind === 'attested' ? '' : answer.reason }
        : { uri, kind: 'refused', reason: 'not asked: it is none of the public calendars' },
    );
  }
  for (const { uri } of promises.slice(MAX_ASKED)) {
    asked.push({ uri, kind: 'refused', reason: `not asked: more than ${MAX_ASKED} promises` });
  }
  const changed = asked.some(({ kind }) => kind === 'attested');
  return { proof: { ...proof, timestamp }, asked, changed };
}
