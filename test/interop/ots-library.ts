import { createRequire } from 'node:module';
import { join } from 'node:path';
import { opentimestampsFolder } from './ots-peers.ts';

/** What is used here of npm's `opentimestamps`, which has no types. */
export interface OtsLibrary {
  readonly DetachedTimestampFile: {
    deserialize(bytes: Uint8Array): OtsFile;
    fromHash(operation: object, digest: Uint8Array): OtsFile;
  };
  readonly Timestamp: new (message: readonly number[]) => OtsTimestamp;
  readonly Ops: { readonly [name: string]: new (argument?: readonly number[]) => object };
  readonly Notary: { readonly [name: string]: new (argument: unknown) => OtsAttestation };
  makeMerkleTree(files: readonly OtsFile[]): OtsTimestamp;
}

export interface OtsFile {
  readonly timestamp: OtsTimestamp;
  fileDigest(): readonly number[];
  serializeToBytes(): readonly number[];
}

export interface OtsTimestamp {
  readonly msg: readonly number[];
  readonly attestations: OtsAttestation[];
  readonly ops: Map<object, OtsTimestamp>;
  /** By the attested message in hex. */
  allAttestations(): Map<readonly number[], OtsAttestation>;
}

export interface OtsAttestation {
  readonly constructor: { readonly name: string };
  readonly height?: number;
  readonly uri?: string;
}

/** npm's `opentimestamps` in this process, with the folder it came from; or why there is none. */
export async function otsLibrary(): Promise<
  { library: OtsLibrary; folder: string } | { missing: string }
> {
  const found = await opentimestampsFolder();
  if ('missing' in found) return found;
  const require = createRequire(join(found.folder, 'x'));
  return { library: require(join(found.folder, 'index.js')) as OtsLibrary, folder: found.folder };
}
