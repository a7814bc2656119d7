import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault, faultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash';
import {
  formatSuccession,
  signedSuccession,
  successionFacts,
  type SuccessionFacts,
} from '@assay/core/kind/succession';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import { noteKeyId, NOTE_ED25519, parseNote, parseNoteKey } from '@assay/core/note';
import { formatTilePath, parseEntryBundle, TILE_WIDTH } from '@assay/core/tile';
import { parseCheckpoint } from '@assay/core/checkpoint';
import { formatUtf8 } from '@assay/core/utf8';
import { dataFolder, keyPath } from '../data-folder.ts';
import { openKey } from '../keystore.ts';
import { openMirrored } from '../mirror/mirrored-note.ts';
import { readBounded } from './bounded-file.ts';
import { openLeft, type Source } from './source.ts';
import { parseProposal, SUCCESSION_FILE, type SuccessionProposal } from './succession-proposal.ts';

/** A log that ends, and how its successor names it. */
export interface Predecessor {
  readonly facts: SuccessionFacts;
  /** Whether the old log's checkpoint key is there to sign the succession. */
  readonly isSigned: boolean;
  /** The text of the new log's entry 1. */
  readonly text: (log: HashHex) => string;
}

const MAX_PROPOSAL_BYTES = 524_288;

/**
 * The log whose data folder is `root`: as a restore that was refused left it there, or at the head of its guard where
 * nothing is lost. Its checkpoint key signs the succession where it lies in the folder. Throws `not_found` where the
 * folder has neither, `bad_note` where a head is not of its key, and what the keystore throws.
 */
export async function openPredecessor(
  root: string,
  sha256: Sha256,
  { passphrase }: { readonly passphrase: string | undefined },
): Promise<Predecessor> {
  const proposal = (await proposed(root)) ?? (await atRest(root, sha256));
  const facts = successionFacts(sha256, proposal);
  const key = parseNoteKey(sha256, facts.genesis.checkpoint_vkey);
  for (const note of [proposal.head, ...(proposal.lost === null ? [] : [proposal.lost])]) {
    openMirrored(key, note);
  }
  const path = keyPath(dataFolder(root), 'checkpoint');
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const signer = isThere ? await openKey(path, { passphrase }) : undefined;
  const { origin } = facts.genesis;
  const keyId =
    signer === undefined ? '' : noteKeyId(sha256, origin, NOTE_ED25519, signer.publicKey);
  if (signer !== undefined && keyId !== key.keyId) {
    throw new Fault('bad_note', 'succession', {
      at: path,
      expected: `the key ${facts.genesis.checkpoint_vkey}`,
      found: 'another',
    });
  }
  return {
    facts,
    isSigned: signer !== undefined,
    text(log) {
      const text = formatSuccession(sha256, { ...proposal, by: log });
      if (signer === undefined) return text;
      return signedSuccession(text, {
        name: origin,
        keyId,
        signature: signer.sign(formatUtf8(text)),
      });
    },
  };
}

async function proposed(root: string): Promise<SuccessionProposal | undefined> {
  const bytes = await readBounded(join(root, SUCCESSION_FILE), MAX_PROPOSAL_BYTES);
  return bytes === undefined ? undefined : parseProposal(bytes);
}

async function atRest(root: string, sha256: Sha256): Promise<SuccessionProposal> {
  const scratch = await mkdtemp(join(tmpdir(), 'assay-succession-'));
  try {
    const left = await openLeft(root, { sha256, scratch });
    try {
      const genesis = await firstEntry(left);
      if (left.note !== undefined && genesis !== undefined) {
        return { genesis, head: left.note, lost: null };
      }
    } finally {
      await left.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  throw new Fault('not_found', 'succession', {
    at: root,
    expected: `a ledger with its head guard, or the ${SUCCESSION_FILE} of a restore that was refused`,
    found: 'neither',
  });
}

async function firstEntry({ note, tile }: Source): Promise<Uint8Array | undefined> {
  if (note === undefined) return undefined;
  const { size } = parseCheckpoint(parseNote(note).text);
  const width = Math.min(TILE_WIDTH, size);
  if (width === 0) return undefined;
  try {
    const path = formatTilePath({ level: 'entries', index: 0, width });
    return parseEntryBundle(await tile(path, width * (2 + MAX_ENTRY_BYTES)), width)[0];
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
