import { constants } from 'node:fs';
import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { HEADER_BYTES, parseHeader } from '@assay/core/bitcoin/header';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import { requireMined } from './header-clock.ts';
import {
  noHeadersFile,
  openHeaders,
  type ReadOptions,
  readHeadersFile,
  workAfterTable,
} from './headers-file.ts';

/** The time limit of one exchange with a node or an explorer, in milliseconds. */
const TIMEOUT_MS = 30_000;
/** How many headers a node is asked for at once. Beacons are about six blocks apart. */
const NODE_SPAN = 144;
/** An explorer is asked for each header separately. */
const EXPLORER_SPAN = 1;

/** Options for requests to a source. */
export interface AskOptions {
  /** This machine's clock, Unix seconds. */
  readonly now: number;
  /** Once it is aborted, no further request is made, and none continues. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Headers from a raw file (`readHeadersFile`), of the network of its first header. Throws what that throws, and
 * `malformed` for a file that ends where blocks are still cheap to make.
 */
export async function fileLookup(path: string, options: ReadOptions): Promise<HeaderLookup> {
  const network = await networkOf(path);
  const chain = await readHeadersFile(path, network, options);
  const { first, tip } = chain;
  if (network === BITCOIN && tip.height < LAST_EPOCH.height) {
    // Up to there the table contains only the bits, and those of the first years are met quickly.
    throw new Fault('malformed', 'headers file', {
      at: path,
      expected: `headers to height ${LAST_EPOCH.height} at least, where the shipped table ends`,
      found: `to height ${tip.height}`,
    });
  }
  const start = first === 0 ? 'the genesis block' : `block ${first}, where the shipped table ends`;
  return {
    kind: 'headers',
    network: network.name,
    first,
    work: workAfterTable(chain),
    tip: { height: tip.height, time: tip.time },
    header: (height) => Promise.resolve(chain.header(height)),
    description: `headers checked from ${start}`,
  };
}

/** Development if the first header is that of its genesis, and otherwise Bitcoin. */
async function networkOf(path: string): Promise<BitcoinNetwork> {
  const file = await openHeaders(path, constants.O_RDONLY);
  if (file === undefined) throw noHeadersFile(path);
  try {
    const first = new Uint8Array(HEADER_BYTES);
    await file.read(first, 0, HEADER_BYTES, 0);
    return equalBytes(first, DEVELOPMENT.genesis) ? DEVELOPMENT : BITCOIN;
  } finally {
    await file.close();
  }
}

/** The verifier's own Bitcoin Core. `login` is its `user:password`, which is in no address. */
export async function nodeLookup(
  url: string,
  login: string | undefined,
  options: AskOptions,
): Promise<HeaderLookup> {
  const { coreRpc } = await import('@assay/node/bitcoin/core-rpc');
  const basic = login === undefined ? {} : { authorization: `Basic ${base64(login)}` };
  const { signal } = options;
  const source = coreRpc({ url, timeoutMs: TIMEOUT_MS, signal, ...basic });
  const words = 'headers of your own node';
  return sourceLookup(source, 'headers', NODE_SPAN, words, options);
}

/** An explorer with Esplora's HTTP API. */
export async function explorerLookup(address: string, options: AskOptions): Promise<HeaderLookup> {
  const { esplora } = await import('@assay/node/bitcoin/esplora');
  const { signal } = options;
  const source = esplora({ url: address, timeoutMs: TIMEOUT_MS, signal });
  const words = `the word of ${new URL(address).host}`;
  return sourceLookup(source, 'explorer', EXPLORER_SPAN, words, options);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/**
 * Asks a source for headers when they are needed, `span` at once, and remembers them. Throws `refused` for
 * another chain's headers, or for a time in the future.
 */
export async function sourceLookup(
  source: HeaderSource,
  kind: HeaderLookup['kind'],
  span: number,
  description: string,
  { now, signal }: AskOptions,
): Promise<HeaderLookup> {
  const height = await source.tip();
  const [first] = await source.headers(0, 1);
  const network = [BITCOIN, DEVELOPMENT].find(
    ({ genesis }) => first !== undefined && equalBytes(genesis, first),
  );
  const [tip] = await source.headers(height, 1);
  if (network === undefined || tip === undefined) {
    throw new Fault('refused', source.name, { expected: "Bitcoin's first header and its newest" });
  }
  requireMined(tip, height, now);
  const spans = new Map<number, Promise<readonly Uint8Array[]>>();
  return {
    kind,
    network: network.name,
    first: 0,
    // It is asked for single headers, so the work on all of them is not known.
    work: null,
    tip: { height, time: parseHeader(tip).time },
    async header(at) {
      if (signal?.aborted === true) {
        const expected = 'an end before the deadline';
        throw new Fault('timeout', source.name, { expected });
      }
      const start = at - (at % span);
      const known = spans.get(start) ?? source.headers(start, span);
      spans.set(start, known);
      const header = (await known)[at - start];
      if (header !== undefined) requireMined(header, at, now);
      return header;
    },
    description,
  };
}
