import { parseBase64 } from '@assay/core/bytes/base64';
import { parseHex } from '@assay/core/bytes/hex';
import { type Hash, hashHex, type HashHex, leafHash, toHash } from '@assay/core/hash/hash';
import { submissionMessage } from '@assay/core/intake/submission-receipt';
import { parseNoteKey } from '@assay/core/log/note';
import { verifyInclusion } from '@assay/core/log/tree';
import type { PromiseEvidence } from '@assay/core/proof/evidence';
import { batchEndIn, type BatchEnd, submissionLeaf } from '@assay/core/proof/promise-evidence';
import { isSignedBy, parseSignedCheckpoint, type SignedCheckpoint } from '../trust/signed-note.ts';
import type { EvidenceNeeds } from './evidence-check.ts';
import { genesisIn } from './evidence-tree.ts';
import { type Accused, demand, orUnproven, type Proven, THIEF } from './evidence-verdict.ts';

/** A receipt for a submission, and a batch of the same log without it in its place. Throws `Unproven`. */
export async function provenPromise(
  evidence: PromiseEvidence,
  needs: EvidenceNeeds,
): Promise<Proven> {
  const { receipt } = evidence;
  const note = orUnproven('format', 'checkpoint', () => parseSignedCheckpoint(evidence.checkpoint));
  await demandCheckpoint(evidence, note, needs);
  const entry0 = parseBase64(evidence.genesis.entry);
  const genesis = genesisIn(entry0);
  const { vkey } = evidence;
  demand(
    genesis.checkpoint_vkey === vkey,
    'genesis',
    `genesis: its checkpoint key is ${genesis.checkpoint_vkey}`,
  );
  demandEntry('genesis', entry0, 0, evidence.genesis.proof, note, needs);
  const log = hashHex(leafHash(needs.sha256, entry0));
  demand(log === receipt.log, 'genesis', `genesis: the receipt is of log ${receipt.log}`);
  const message = submissionMessage(needs.sha256, receipt);
  const { key, signature } = receipt;
  demand(
    await needs.verifySignature(parseHex(key, 32), message, parseHex(signature, 64)),
    'signature',
    `a receipt with a signature that is none of ${key}`,
  );
  const end = demandBatch(evidence, note, needs);
  demandAbsent(evidence, end, needs);
  const isFirst = genesis.report_key === key;
  const accused: Accused = isFirst
    ? { role: 'publisher', key, name: genesis.origin }
    : { role: 'signer', key, name: null };
  const place = `place ${receipt.ordinal} of ${receipt.subject}`;
  return {
    log,
    accused: [accused],
    says:
      evidence.other === null
        ? `a receipt was given for ${place}, and the batch ends after ${end.count}`
        : `a receipt was given for ${place}, and the batch has another leaf there`,
    shown:
      'a signature over the receipt, and a checkpoint of the log that it names, under which the entry that ends the batch is',
    open: [
      `whether ${log} is the id of the log that you rely on`,
      ...(isFirst
        ? []
        : [
            "whether the key is a later report key of the log's publisher: its `key/1` entries say so",
          ]),
      THIEF,
    ],
  };
}

async function demandCheckpoint(
  { vkey }: PromiseEvidence,
  { note, checkpoint }: SignedCheckpoint,
  needs: EvidenceNeeds,
): Promise<void> {
  const key = orUnproven('format', 'vkey', () => parseNoteKey(needs.sha256, vkey));
  const isOwn = checkpoint.origin === key.name;
  demand(isOwn, 'consistent', `a checkpoint of another log than ${key.name}`);
  const isSigned = await isSignedBy(note, key, needs);
  demand(isSigned, 'signature', `a checkpoint without a signature of ${vkey}`);
}

function demandEntry(
  what: 'genesis' | 'batch',
  bytes: Uint8Array,
  index: number,
  proof: readonly HashHex[],
  { checkpoint: { size, root } }: SignedCheckpoint,
  { sha256 }: EvidenceNeeds,
): void {
  const code = what === 'genesis' ? 'genesis' : 'proof';
  const leaf = leafHash(sha256, bytes);
  orUnproven(code, what, () =>
    verifyInclusion(sha256, leaf, index, size, proof.map(fromHex), root),
  );
}

/** The end of the batch that the receipt is of, under the checkpoint. */
function demandBatch(
  { batch, receipt }: PromiseEvidence,
  note: SignedCheckpoint,
  needs: EvidenceNeeds,
): BatchEnd {
  const bytes = parseBase64(batch.entry);
  const end = orUnproven('format', 'batch', () => batchEndIn(bytes));
  if (end === undefined) demand(false, 'consistent', 'batch: an entry that ends no batch');
  const found = end as BatchEnd;
  demand(found.subject === receipt.subject, 'consistent', `batch: that of ${found.subject}`);
  demandEntry('batch', bytes, batch.index, batch.proof, note, needs);
  return found;
}

/** The leaf of the receipt is not in its place. */
function demandAbsent(
  { receipt, other }: PromiseEvidence,
  end: BatchEnd,
  { sha256 }: EvidenceNeeds,
): void {
  const { ordinal, leaf } = receipt;
  const { count, root } = end;
  if (other === null) {
    demand(ordinal >= count, 'consistent', `other: the batch has ${count} leaves`);
    return;
  }
  demand(other.leaf !== leaf, 'consistent', 'the leaf is in its place');
  orUnproven('proof', 'other', () =>
    verifyInclusion(
      sha256,
      submissionLeaf(sha256, other.leaf, end),
      ordinal,
      count,
      other.proof.map(fromHex),
      toHash(parseHex(root, 32)),
    ),
  );
}

function fromHex(text: HashHex): Hash {
  return toHash(parseHex(text, 32));
}
