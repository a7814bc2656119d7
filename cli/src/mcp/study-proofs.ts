import { formatHex } from '@assay/core/bytes/hex';
import { parseStudy } from '@assay/core/kind/study';
import type { ProvenStudy, Voucher } from '@assay/node/mcp/voucher';
import { KeptFiles } from '@assay/verifier/client/kept-files';
import { bodyOf } from '@assay/verifier/client/log-answer';
import { PinnedHead, type PinStorage } from '@assay/verifier/client/pinned-head';
import { includedEntry, newestHead, tilesOf } from '@assay/verifier/client/proven-log';
import { type Refusal, refusal, refusedFor } from '@assay/verifier/client/refusal';
import { timedFetch } from '@assay/verifier/client/timed-fetch';
import { within } from '@assay/verifier/client/web';
import { httpReader } from '@assay/verifier/reader/http-reader';
import type { Environment } from '@assay/verifier/verdict/environment';
import { type Policy, requirePolicy } from '@assay/verifier/verdict/policy';

const TIMEOUT_MS = 30_000;
const STUDY_MS = 120_000;

interface StudyTerms {
  /** The verifier key of the log. */
  readonly key: string;
  readonly policy: Policy;
  readonly environment: Environment;
  /** Where the head is kept: that of the numbers, so that both are of one history. */
  readonly storage: PinStorage;
}

/**
 * Proves studies of the log at `url`: that the entry is in a head that continues the one before, that it is a study, and that
 * the bytes have the hash that it names.
 */
export function studyProofs(url: string, terms: StudyTerms): Voucher['study'] {
  const { key: vkey, environment, storage } = terms;
  const { sha256 } = environment;
  const files = new KeptFiles(httpReader(url, timedFetch(TIMEOUT_MS)));
  const head = new PinnedHead({
    vkey,
    policy: requirePolicy(sha256, terms.policy),
    environment,
    storage,
    now: () => Math.floor(Date.now() / 1000),
    reader: files,
    tiles: tilesOf(files),
  });
  const read = async (seq: number): Promise<ProvenStudy | Refusal> => {
    try {
      const accepted = await newestHead({ files, head });
      if ('ok' in accepted) return accepted;
      const { entry } = await includedEntry({ files, environment }, accepted, seq);
      if (entry.kind !== 'study/2') {
        return refusal('refused', `entry ${seq} is no study of version 2`);
      }
      const body = parseStudy(entry.body, `entry ${seq}`);
      const bytes = await bodyOf(files, `/blob/${body.blob}`);
      if (formatHex(sha256(bytes)) === body.blob) return { ok: true, body, bytes };
      files.clear();
      return refusal('blob_differs', `the bytes of the study at entry ${seq} have another hash`);
    } catch (error) {
      files.clear();
      return refusedFor(error);
    }
  };
  return (seq) =>
    within<ProvenStudy | Refusal>(read(seq), STUDY_MS, () =>
      refusal('timeout', `the log server: expected the study in ${STUDY_MS} ms`),
    );
}

/** Keeps a head for as long as the process runs. */
export function memoryStorage(): PinStorage {
  const kept = new Map<string, string>();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => {
      kept.set(name, text);
    },
  };
}
