import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { contentHash, type Hash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { consistencyRanges } from '@assay/core/log/tree';
import type { Report } from '@assay/core/report/report';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { KeyHolder } from '@assay/node/signer/key-holder';
import type { SignerAnswer, SignerQuestion } from '@assay/node/signer/signer-message';
import type { SignerTerms } from '@assay/node/signer/signer-terms';
import { SigningJudge } from '@assay/node/signer/signing-judge';
import { SigningMemory } from '@assay/node/signer/signing-memory';
import { sampleReport } from '../../core/fixture/fixture.ts';
import {
  naiveRoot,
  ORIGIN,
  someLeaf,
  temporaryFolder,
  testSigner,
} from '../ledger/ledger-fixture.ts';

export const LOG = 'ab'.repeat(32) as HashHex;
export const CHECKPOINT_KEY: KeyHolder = testSigner(2);
export const REPORT_KEY: KeyHolder = testSigner(1);
export const REPORT_KEY_HEX: string = formatHex(REPORT_KEY.publicKey);

export const TERMS: SignerTerms = {
  type: 'assay-signer/1',
  log: LOG,
  origin: ORIGIN,
  checkpoint_key: formatHex(CHECKPOINT_KEY.publicKey),
  program: null,
  promised: [hashHex(contentHash(nodeSha256, testSigner(3).publicKey))],
  hsm: null,
};

/** A key that counts what it signs. */
export function counting({ publicKey, sign }: KeyHolder): KeyHolder & { signed: number } {
  const counted = {
    publicKey,
    signed: 0,
    sign: (message: Uint8Array) => {
      counted.signed += 1;
      return sign(message);
    },
  };
  return counted;
}

export interface JudgeWorld {
  readonly folder: string;
  readonly memory: SigningMemory;
  readonly judge: SigningJudge;
  readonly checkpointKey: ReturnType<typeof counting>;
  readonly reportKey: ReturnType<typeof counting>;
  /** The same after the process has ended and begun again. */
  readonly again: () => Promise<JudgeWorld>;
}

export async function judgeWorld(t: TestContext): Promise<JudgeWorld> {
  const folder = join(await temporaryFolder(t), 'memory');
  return openWorld(t, folder, true);
}

async function openWorld(t: TestContext, folder: string, create: boolean): Promise<JudgeWorld> {
  const memory = await SigningMemory.open(nodeSha256, folder, { create });
  const [checkpointKey, reportKey] = [counting(CHECKPOINT_KEY), counting(REPORT_KEY)];
  const judge = new SigningJudge({
    sha256: nodeSha256,
    terms: TERMS,
    memory,
    checkpointKey,
    reportKeys: [reportKey],
  });
  t.after(() => memory.close());
  const again = async (): Promise<JudgeWorld> => {
    await memory.close();
    return openWorld(t, folder, false);
  };
  return { folder, memory, judge, checkpointKey, reportKey, again };
}

/** The leaves of a log; those from `fork` on are of another history. */
export function leavesOf(size: number, fork = Number.POSITIVE_INFINITY): readonly Hash[] {
  return Array.from({ length: size }, (_, i) => someLeaf(i < fork ? i : i + 1_000_000));
}

export function proofOf(leaves: readonly Hash[], from: number): readonly HashHex[] {
  if (from === 0) return [];
  return consistencyRanges(from, leaves.length).map(({ start, end }) =>
    hashHex(naiveRoot(leaves, start, end)),
  );
}

export function headQuestion(
  leaves: readonly Hash[],
  from: number,
): Extract<SignerQuestion, { ask: 'checkpoint' }> {
  return {
    ask: 'checkpoint',
    origin: ORIGIN,
    size: leaves.length,
    root: hashHex(naiveRoot(leaves)),
    from,
    proof: proofOf(leaves, from),
  };
}

export function reportOf(name: string, change: Readonly<Record<string, unknown>> = {}): Report {
  return sampleReport(name, { log: LOG, ...change });
}

export function printQuestion(report: Report): SignerQuestion {
  return { ask: 'sign', key: REPORT_KEY_HEX, what: { of: 'print', report } };
}

export function signatureOf(answer: SignerAnswer): string {
  if (answer.give !== 'signature') throw new TypeError(`no signature but ${answer.give}`);
  return answer.signature;
}
