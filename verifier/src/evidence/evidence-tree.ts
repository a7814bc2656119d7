import { parseBase64 } from '@assay/core/bytes/base64';
import { equalBytes } from '@assay/core/bytes/bytes';
import { checkpointsContradict } from '@assay/core/proof/contradiction';
import { parseEntry } from '@assay/core/log/entry';
import type { ForkEvidence, OmissionEvidence, ProvenGenesis } from '@assay/core/proof/evidence';
import { type Hash, hashHex, type HashHex, leafHash, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { type Genesis, parseGenesis } from '@assay/core/kind/genesis';
import { NOTE_COSIGNATURE, type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { verifyInclusion } from '@assay/core/log/tree';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import type { EvidenceNeeds } from './evidence-check.ts';
import {
  type Accused,
  demand,
  orUnproven,
  type Proven,
  THIEF,
  Unproven,
} from './evidence-verdict.ts';
import { isSignedBy, parseSignedCheckpoint, type SignedCheckpoint } from '../trust/signed-note.ts';

/** Two checkpoints that no log can both have. Throws `Unproven`. */
export async function provenFork(evidence: ForkEvidence, needs: EvidenceNeeds): Promise<Proven> {
  const both = notesOf(evidence);
  const [a, b] = both.map(({ checkpoint }) => checkpoint) as [Checkpoint, Checkpoint];
  const ordered = a.size < b.size || (a.size === b.size && evidence.first < evidence.second);
  demand(ordered, 'format', 'first, second: the smaller tree first; of one size, by their text');
  await demandSigned(evidence.vkey, both, needs);
  const prefix = evidence.consistency?.map(fromHex) ?? null;
  const contradict = orUnproven('proof', 'consistency', () =>
    checkpointsContradict(needs.sha256, a, b, prefix),
  );
  demand(
    contradict,
    'consistent',
    'the two checkpoints may be of one history, or are not shown not to be',
  );
  return proven(evidence, both, needs, {
    says:
      prefix === null
        ? `${a.origin} signed two trees of ${a.size} entries with different roots`
        : `${a.origin} signed a tree of ${a.size} entries, and one of ${b.size} that begins with others`,
    shown:
      prefix === null
        ? 'signatures of one key over two checkpoints of one origin and size, with two roots'
        : 'signatures of one key over two checkpoints of one origin, and the hashes that lead from ' +
          'what the larger tree begins with to its signed root',
  });
}

/** An entry that has a receipt, and another entry in its place. Throws `Unproven`. */
export async function provenOmission(
  evidence: OmissionEvidence,
  needs: EvidenceNeeds,
): Promise<Proven> {
  const { sha256 } = needs;
  const { index, hashes } = orUnproven('format', 'receipt', () => parseTlogProof(evidence.receipt));
  const both = notesOf(evidence);
  await demandSigned(evidence.vkey, both, needs);
  const receipted = fromHex(evidence.receipted);
  const leaf = fromHex(evidence.leaf);
  demand(!equalBytes(receipted, leaf), 'consistent', 'the entry is in its place');
  const prove = (what: string, hash: Hash, proof: readonly Hash[], of: SignedCheckpoint): void => {
    const { size, root } = of.checkpoint;
    orUnproven('proof', what, () => verifyInclusion(sha256, hash, index, size, proof, root));
  };
  prove('receipt', receipted, hashes, both[0]);
  prove('proof', leaf, evidence.proof.map(fromHex), both[1]);
  const { origin, size } = both[1].checkpoint;
  return proven(evidence, both, needs, {
    says: `${origin} gave a receipt for entry ${index}, and signed a tree of ${size} entries with another there`,
    shown:
      'signatures of one key over two checkpoints of one origin, and an inclusion proof in each tree',
  });
}

/**
 * The same evidence, accusing also those of `vkeys` whose lines verify on both notes. Keys that are not a witness's are
 * skipped.
 */
export async function accuseWitnesses<E extends ForkEvidence | OmissionEvidence>(
  evidence: E,
  vkeys: readonly string[],
  needs: EvidenceNeeds,
): Promise<E> {
  const both = notesOf(evidence);
  const witnesses: string[] = [];
  for (const vkey of new Set(vkeys)) {
    try {
      await demandCosigned(vkey, both, needs);
      witnesses.push(vkey);
    } catch (error) {
      if (!(error instanceof Unproven)) throw error;
    }
  }
  return { ...evidence, witnesses: witnesses.toSorted((a, b) => (a < b ? -1 : 1)) };
}

type Checkpoint = SignedCheckpoint['checkpoint'];
type Both = readonly [SignedCheckpoint, SignedCheckpoint];

function fromHex(text: HashHex): Hash {
  return toHash(parseHex(text, 32));
}

function notesOf(evidence: ForkEvidence | OmissionEvidence): Both {
  const parse = (what: string, text: () => string): SignedCheckpoint =>
    orUnproven('format', what, () => parseSignedCheckpoint(text()));
  if (evidence.kind === 'fork') {
    return [parse('first', () => evidence.first), parse('second', () => evidence.second)];
  }
  return [
    parse('receipt', () => parseUtf8(parseTlogProof(evidence.receipt).checkpoint)),
    parse('checkpoint', () => evidence.checkpoint),
  ];
}

/** Demands that both are checkpoints of the log that the key names, and signed by that key. */
async function demandSigned(vkey: string, both: Both, needs: EvidenceNeeds): Promise<void> {
  const key = orUnproven('format', 'vkey', () => parseNoteKey(needs.sha256, vkey));
  for (const { note, checkpoint } of both) {
    // One key may sign for several logs, each with its own origin. Their checkpoints do not contradict each other.
    demand(
      checkpoint.origin === key.name,
      'consistent',
      `a checkpoint of another log than ${key.name}`,
    );
    demand(
      await isSignedBy(note, key, needs),
      'signature',
      `a checkpoint without a signature of ${vkey}`,
    );
  }
}

async function demandCosigned(vkey: string, both: Both, needs: EvidenceNeeds): Promise<NoteKey> {
  const key = orUnproven('format', 'witnesses', () =>
    parseNoteKey(needs.sha256, vkey, NOTE_COSIGNATURE),
  );
  for (const { note } of both) {
    demand(
      await isSignedBy(note, key, needs),
      'signature',
      `a checkpoint without a signature of ${vkey}`,
    );
  }
  return key;
}

/** The log id, where the file shows that a signed tree begins with the genesis that names this key. */
function shownLog(
  genesis: ProvenGenesis | null,
  vkey: string,
  both: Both,
  { sha256 }: EvidenceNeeds,
): HashHex | null {
  if (genesis === null) return null;
  const bytes = parseBase64(genesis.entry);
  const { checkpoint_vkey: named } = genesisIn(bytes);
  demand(named === vkey, 'genesis', `genesis: its checkpoint key is ${named}`);
  const leaf = leafHash(sha256, bytes);
  const proof = genesis.proof.map(fromHex);
  const holds = both.some(({ checkpoint: { size, root } }) => {
    try {
      verifyInclusion(sha256, leaf, 0, size, proof, root);
      return true;
    } catch {
      return false;
    }
  });
  demand(holds, 'genesis', 'genesis: neither tree is shown to begin with it');
  return hashHex(leaf);
}

/** The genesis in an entry. Throws `Unproven`. */
export function genesisIn(bytes: Uint8Array): Genesis {
  return orUnproven('genesis', 'genesis', () => {
    const { kind, seq, body } = parseEntry(bytes);
    demand(kind === 'genesis/1' && seq === 0, 'genesis', `genesis: entry ${seq} of kind ${kind}`);
    return parseGenesis(body, 'genesis');
  });
}

async function proven(
  evidence: ForkEvidence | OmissionEvidence,
  both: Both,
  needs: EvidenceNeeds,
  words: Pick<Proven, 'says' | 'shown'>,
): Promise<Proven> {
  const { vkey, witnesses } = evidence;
  const log = shownLog(evidence.genesis, vkey, both, needs);
  const accused: Accused[] = [{ role: 'log', key: vkey, name: both[0].checkpoint.origin }];
  const ids = new Set<string>();
  for (const each of witnesses) {
    const { name, keyId } = await demandCosigned(each, both, needs);
    // Two keys with one id would have each line of a note checked twice.
    demand(!ids.has(`${name}+${keyId}`), 'format', `witnesses: ${name}+${keyId} twice`);
    ids.add(`${name}+${keyId}`);
    accused.push({ role: 'witness', key: each, name });
  }
  const open = [
    log === null
      ? 'which log this key signs for: compare it with checkpoint_vkey in the genesis that you hold'
      : `whether ${log} is the id of the log that you rely on`,
    ...(witnesses.length === 0
      ? []
      : ['who runs the accused witnesses: their operators publish these keys']),
    THIEF,
  ];
  return { log, accused, ...words, open };
}
