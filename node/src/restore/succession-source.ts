import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault, faultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import {
  formatSuccession,
  signedSuccession,
  successionFacts,
  type SuccessionFacts,
} from '@assay/core/kind/succession';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import {
  noteKeyId,
  NOTE_ED25519,
  type NoteKey,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatTilePath, parseEntryBundle, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { dataFolder, keyPath } from '../platform/data-folder.ts';
import { openKey } from '../key/keystore.ts';
import { newBundles } from '../mirror/head-bundles.ts';
import { HeadTiles } from '../mirror/head-tiles.ts';
import { type MirroredNote, openSigned } from '../mirror/mirrored-note.ts';
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
const HASH_BYTES = 32;

/**
 * The log whose data folder is `root`: as a refused restore left it there, or at the head of its guard if
 * nothing is lost. If a ledger in the folder proves more than the refused restore had found, it is trusted
 * instead, because its entries were found since. The log's checkpoint key signs the succession if it is in the
 * folder. A succession names the key in genesis alone, so a log in which another key took its place cannot be shown by
 * one. Throws `not_found` if the folder has neither, `bad_note` if a head or the key file is not of the key in genesis,
 * `ledger_differs` if the ledger has another history than the refused restore had, and what the keystore
 * throws.
 */
export async function openPredecessor(
  root: string,
  sha256: Sha256,
  { passphrase }: { readonly passphrase: string | undefined },
): Promise<Predecessor> {
  const left = await proposed(root);
  const proposal =
    left === undefined ? await atRest(root, sha256) : await heldToLedger(root, sha256, left);
  const facts = successionFacts(sha256, proposal);
  const key = parseNoteKey(sha256, facts.genesis.checkpoint_vkey);
  for (const note of [proposal.head, ...(proposal.lost === null ? [] : [proposal.lost])]) {
    openFirst(key, note, root);
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
    throw notOfFirst(path, key, 'another checkpoint key');
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

/** Opens a head of the old log. Throws `bad_note` unless the checkpoint key in its genesis signed it. */
function openFirst(first: NoteKey, note: Uint8Array, root: string): MirroredNote {
  const head = openSigned(first, note);
  if (head === undefined) throw notOfFirst(root, first, 'a head without a good signature of it');
  return head;
}

function notOfFirst(at: string, { name, keyId }: NoteKey, found: string): Fault {
  return new Fault('bad_note', 'succession', {
    at,
    expected:
      `only the checkpoint key in genesis, ${name}+${keyId}: where another key took its place a succession ` +
      'cannot show it, so begin the new log without --succeeds and say elsewhere what it succeeds',
    found,
  });
}

async function proposed(root: string): Promise<SuccessionProposal | undefined> {
  const bytes = await readBounded(join(root, SUCCESSION_FILE), MAX_PROPOSAL_BYTES);
  return bytes === undefined ? undefined : parseProposal(bytes);
}

/** The result of `use` with what is left of the folder's ledger, of which a copy is opened. */
async function withLeft<T>(
  root: string,
  sha256: Sha256,
  use: (left: Source) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'assay-succession-'));
  try {
    const left = await openLeft(root, { sha256, scratch });
    try {
      return await use(left);
    } finally {
      await left.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * The proposal, unless the entries of the ledger in the folder make the root of a newer signed head than the
 * proposal can prove: then that head, and no loss if it covers the one that was thought lost.
 */
async function heldToLedger(
  root: string,
  sha256: Sha256,
  proposal: SuccessionProposal,
): Promise<SuccessionProposal> {
  const key = parseNoteKey(sha256, successionFacts(sha256, proposal).genesis.checkpoint_vkey);
  const open = (note: Uint8Array): MirroredNote => openFirst(key, note, root);
  const said = open(proposal.head).checkpoint;
  const lost = proposal.lost === null ? undefined : open(proposal.lost).checkpoint;
  return withLeft(root, sha256, async (left) => {
    const notes = [left.note, proposal.lost].filter((note) => note !== undefined && note !== null);
    const newer = notes
      .map(open)
      .filter(({ checkpoint }) => checkpoint.size > said.size)
      .toSorted((a, b) => b.checkpoint.size - a.checkpoint.size);
    for (const { bytes, checkpoint } of newer) {
      if (!(await isProven(sha256, left, checkpoint))) continue;
      for (const other of [said, ...(lost === undefined ? [] : [lost])]) {
        if (other.size > checkpoint.size || (await isProven(sha256, left, other))) continue;
        throw new Fault('ledger_differs', 'succession', {
          at: root,
          expected: `the head of ${other.size} entries that ${SUCCESSION_FILE} names, in the ledger`,
          found: 'another history: run assay restore again, which keeps the evidence',
        });
      }
      const isAll = lost === undefined || lost.size <= checkpoint.size;
      return { genesis: proposal.genesis, head: bytes, lost: isAll ? null : proposal.lost };
    }
    return proposal;
  });
}

/** Whether the entries of a source make the root of a head, each of them. */
async function isProven(
  sha256: Sha256,
  { tile }: Source,
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
): Promise<boolean> {
  try {
    const fetch = (each: Tile): Promise<Uint8Array> =>
      tile(formatTilePath(each), each.width * HASH_BYTES);
    const tiles = await HeadTiles.open(sha256, fetch, { size, root });
    const bundle = (each: Tile, maxBytes: number): Promise<Uint8Array> =>
      tile(formatTilePath(each), maxBytes);
    let proven = 0;
    for await (const entries of newBundles(sha256, bundle, tiles, 0, size)) {
      proven += entries.length;
    }
    return proven === size;
  } catch (error) {
    // No ledger, or a damaged one, which shows nothing about what was lost.
    if (faultCode(error) === undefined) throw error;
    return false;
  }
}

async function atRest(root: string, sha256: Sha256): Promise<SuccessionProposal> {
  const proposal = await withLeft(root, sha256, async (left) => {
    const genesis = await firstEntry(left);
    return left.note === undefined || genesis === undefined
      ? undefined
      : { genesis, head: left.note, lost: null };
  });
  if (proposal !== undefined) return proposal;
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
