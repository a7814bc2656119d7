import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { formatHex } from '@assay/core/bytes/hex';
import { otsLibrary } from '../interop/ots-library.ts';
import { debianPython } from '../interop/ots-peers.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { type Contestant, rateFor } from './contest.ts';

/** Another library that makes and reads proofs, or why it is not here. */
export type OtsPeer =
  | {
      /** Parses a proof and recomputes it, again and again. */
      readonly verifier: (proof: Uint8Array) => Contestant;
      /** Makes a batch of the digests and the file of each, pending at one calendar. */
      readonly stamper: (digests: readonly Uint8Array[], uri: string) => Contestant;
      readonly close: () => Promise<void>;
    }
  | { readonly peer: string; readonly missing: string };

const NPM = "npm's `opentimestamps` 0.4.9";
const PYTHON = "Debian's `python3-opentimestamps`";

/** npm's library, in this process as ours is. */
export async function npmPeer(): Promise<OtsPeer> {
  const found = await otsLibrary();
  if ('missing' in found) return { peer: NPM, missing: found.missing };
  const { library } = found;
  const { DetachedTimestampFile, Ops, Notary } = library;
  const { OpSHA256 } = Ops;
  const { PendingAttestation } = Notary;
  if (OpSHA256 === undefined || PendingAttestation === undefined)
    throw new Error('not its library');
  const close = (): Promise<void> => Promise.resolve();
  return {
    verifier(proof) {
      const once = (): Promise<void> => {
        for (let i = 0; i < 50; i += 1) {
          const { timestamp } = DetachedTimestampFile.deserialize(proof);
          if (timestamp.allAttestations().size === 0) throw new Error('no attestation');
        }
        return Promise.resolve();
      };
      return { name: NPM, run: (ms) => rateFor(ms, 50, once), close };
    },
    stamper(digests, uri) {
      const once = (): Promise<void> => {
        const files = digests.map((each) => DetachedTimestampFile.fromHash(new OpSHA256(), each));
        library.makeMerkleTree(files).attestations.push(new PendingAttestation(uri));
        let bytes = 0;
        for (const file of files) bytes += file.serializeToBytes().length;
        if (bytes < 100 * digests.length) throw new Error('too short');
        return Promise.resolve();
      };
      return { name: NPM, run: (ms) => rateFor(ms, digests.length, once), close };
    },
    close,
  };
}

/** Python's library, in a process that stays: it is not timed while it starts. */
export function pythonPeer(): Promise<OtsPeer> {
  const found = debianPython();
  if ('missing' in found) return Promise.resolve({ peer: PYTHON, missing: found.missing });
  const program = join(ROOT, 'test', 'interop', 'ots-python.py');
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    found.python,
    ['-I', program, 'bench'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const turn = (task: object): Contestant => ({
    name: PYTHON,
    async run(ms) {
      child.stdin.write(`${JSON.stringify({ ...task, ms })}\n`);
      const { value } = (await lines.next()) as { value?: string };
      const rate = Number(value);
      if (!(rate > 0)) throw new Error(`${PYTHON} ended`);
      return rate;
    },
    close: () => Promise.resolve(),
  });
  return Promise.resolve({
    verifier: (proof) => turn({ proof: formatHex(proof) }),
    stamper: (digests, uri) => turn({ digests: digests.map(formatHex), uri }),
    close() {
      child.stdin.end();
      return Promise.resolve();
    },
  });
}
