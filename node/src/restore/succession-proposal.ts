import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { literal, nullable, object, type Parse, string } from '@assay/core/wire/schema';
import { formatWire, parseWire } from '@assay/core/wire/wire';

/** The file that a refused restore leaves for the log that begins anew. */
export const SUCCESSION_FILE = 'succession.json';

/** What a new log needs of the one that it succeeds. */
export interface SuccessionProposal {
  /** Bytes of entry 0. */
  readonly genesis: Uint8Array;
  /** The signed note of the last head whose entries are all there. */
  readonly head: Uint8Array;
  /** The signed note of the newest head, which covers entries that nobody holds; null if nothing is lost. */
  readonly lost: Uint8Array | null;
}

interface ProposalFile {
  readonly type: 'assay-succession-proposal/1';
  readonly genesis: string;
  readonly head: string;
  readonly lost: string | null;
}

const base64 = string(4, 131_072);

const parseFile: Parse<ProposalFile> = object<ProposalFile>({
  type: literal('assay-succession-proposal/1'),
  genesis: base64,
  head: base64,
  lost: nullable(base64),
});

export function formatProposal({ genesis, head, lost }: SuccessionProposal): Uint8Array {
  const file: ProposalFile = {
    type: 'assay-succession-proposal/1',
    genesis: formatBase64(genesis),
    head: formatBase64(head),
    lost: lost === null ? null : formatBase64(lost),
  };
  return formatWire(file);
}

/** Throws `not_canonical`, `malformed` or `bad_base64`. */
export function parseProposal(bytes: Uint8Array): SuccessionProposal {
  const { genesis, head, lost } = parseFile(parseWire(bytes), 'proposal');
  return {
    genesis: parseBase64(genesis),
    head: parseBase64(head),
    lost: lost === null ? null : parseBase64(lost),
  };
}
