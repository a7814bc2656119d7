import { equalBytes } from '@assay/core/bytes/bytes';
import { contentHash, type HashHex, hashHex, type Sha256, toHashHex } from '@assay/core/hash/hash';
import { proofFile, type TreeOf, treeMaker } from '@assay/core/proof/proof-file';
import { PROOF_PATH, proofUrl } from '@assay/core/answer/proof';
import { stampedBatch } from '@assay/core/view/stamps';
import type { ViewState } from '@assay/core/view/view';
import type { Findings } from '../verdict/finding.ts';
import type { ServedAnswer } from '../reader/log-reader.ts';

/** How many trees are kept. Neighbouring digests are often of the same batch. */
const MAX_TREES = 16;

const FILE = /^\/proof\/([0-9a-f]{64})\?format=ots$/;

/** The paths of the `.ots` files of these digests. */
export function proofFilePaths(digests: readonly HashHex[]): readonly string[] {
  return digests.map(proofUrl);
}

export function isProofFile(path: string): boolean {
  return path.startsWith(`${PROOF_PATH}/`) && FILE.test(path);
}

/** Compares served `.ots` files with those that the rows of a log make. */
export class ProofFileCheck {
  readonly #sha256: Sha256;
  readonly #trees = new Map<number, ReturnType<TreeOf>>();

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /**
   * Demands exactly the right bytes: the path of the digest, then the timestamp that the batch names by its hash and
   * that the walk has checked.
   */
  compare({ path, status, body }: ServedAnswer, state: ViewState, findings: Findings): void {
    const digest = toHashHex(FILE.exec(path)?.[1] ?? '');
    const anchor = stampedBatch(state, digest)?.anchor;
    const start = proofFile(state, this.#treesOf(state), digest, new Uint8Array(0));
    if (anchor === undefined || start === undefined || status !== 200) {
      const wanted = start === undefined ? 404 : 200;
      if (status === wanted) return;
      const code = status === 404 ? 'api_missing' : 'proof_differs';
      findings.add(code, path, `status ${wanted}`, `status ${status}`);
      return;
    }
    if (!equalBytes(body.subarray(0, start.length), start)) {
      findings.add('proof_differs', path, 'the path from the digest to its tip', 'another');
      return;
    }
    const tip = hashHex(contentHash(this.#sha256, body.subarray(start.length)));
    if (tip === anchor.proof) return;
    findings.add('proof_differs', path, `the timestamp ${anchor.proof} after the path`, tip);
  }

  #treesOf(state: ViewState): TreeOf {
    const make = treeMaker(state, this.#sha256);
    return (anchor) => {
      const tree = this.#trees.get(anchor.batch) ?? make(anchor);
      this.#trees.set(anchor.batch, tree);
      const [oldest] = this.#trees.keys();
      if (this.#trees.size > MAX_TREES && oldest !== undefined) this.#trees.delete(oldest);
      return tree;
    };
  }
}
