import { open } from 'node:fs/promises';
import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { HEADER_BYTES, parseHeader, PREV_AT } from '@assay/core/bitcoin/header';
import { HeaderChecker } from '@assay/core/bitcoin/header-checker';
import { equalBytes } from '@assay/core/bytes';
import { Fault } from '@assay/core/fault';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import type { HeaderLookup } from '@assay/verifier/header-lookup';

/** Bytes read at once: an epoch of headers. */
const PIECE = 2016 * HEADER_BYTES;
/** Milliseconds of one exchange with a node or an explorer. */
const TIMEOUT_MS = 30_000;
/** Headers that a node is asked for at once: beacons are some six blocks apart. */
const NODE_SPAN = 144;
/** An explorer is asked for each header by itself. */
const EXPLORER_SPAN = 1;

type Progress = (done: number, total: number, what: string) => void;

/**
 * Headers from a file of 80 bytes each, from a network's first block on, or on the main chain from the one
 * after the shipped table. Each is checked: link, work, bits, time. Throws `bad_header`, and `malformed`
 * for a file that is none, or that ends where blocks are still cheap to make.
 */
export async function fileLookup(path: string, progress?: Progress): Promise<HeaderLookup> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const piece = new Uint8Array(PIECE);
    let done = 0;
    let begun: { readonly start: Start; readonly checker: HeaderChecker } | undefined;
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE, done);
      if (bytesRead === 0) break;
      if (begun === undefined) {
        const start = startOf(piece.subarray(0, Math.min(bytesRead, HEADER_BYTES)), path);
        const checker = new HeaderChecker(nodeSha256, start.network, start.first);
        begun = { start, checker };
      }
      begun.checker.add(piece.subarray(0, bytesRead));
      done += bytesRead;
      progress?.(Math.floor(done / HEADER_BYTES), Math.floor(size / HEADER_BYTES), 'headers');
    }
    if (begun === undefined) throw noHeaders(path, 'nothing');
    const { start, checker } = begun;
    const chain = checker.end();
    if (start.network === BITCOIN && chain.tip.height < LAST_EPOCH.height) {
      // Up to there the table holds the bits alone, and those of the first years are made in a moment.
      const expected = `headers to ${LAST_EPOCH.height} at least, where the shipped table ends`;
      throw new Fault('malformed', 'headers file', {
        at: path,
        expected,
        found: `height ${chain.tip.height}`,
      });
    }
    return {
      kind: 'headers',
      network: start.network.name,
      tip: { height: chain.tip.height, time: chain.tip.time },
      header: (height) => Promise.resolve(chain.header(height)),
      description: `headers checked from ${start.words}`,
    };
  } finally {
    await file.close();
  }
}

interface Start {
  readonly network: BitcoinNetwork;
  readonly first: number;
  readonly words: string;
}

function startOf(header: Uint8Array, path: string): Start {
  for (const network of [BITCOIN, DEVELOPMENT]) {
    if (equalBytes(header, network.genesis)) {
      return { network, first: 0, words: 'the genesis block' };
    }
  }
  if (
    header.length === HEADER_BYTES &&
    equalBytes(header.subarray(PREV_AT, PREV_AT + 32), LAST_EPOCH.hash)
  ) {
    const first = LAST_EPOCH.height + 1;
    return { network: BITCOIN, first, words: `block ${first}, where the shipped table ends` };
  }
  throw noHeaders(path, 'another first header');
}

function noHeaders(path: string, found: string): Fault {
  return new Fault('malformed', 'headers file', {
    at: path,
    expected: `80 bytes each, from the genesis block or from ${LAST_EPOCH.height + 1} on`,
    found,
  });
}

/** The verifier's own Bitcoin Core. `authorization`: `user:password`, where the address has none. */
export async function nodeLookup(
  address: string,
  authorization: string | undefined,
): Promise<HeaderLookup> {
  const { coreRpc } = await import('@assay/node/bitcoin/core-rpc');
  const url = new URL(address);
  const named = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const login = url.username === '' ? authorization : named;
  url.username = '';
  url.password = '';
  const basic = login === undefined ? {} : { authorization: `Basic ${base64(login)}` };
  const source = coreRpc({ url: url.href, timeoutMs: TIMEOUT_MS, ...basic });
  return sourceLookup(source, 'headers', NODE_SPAN, 'headers of your own node');
}

/** An explorer that speaks Esplora's HTTP API. */
export async function explorerLookup(address: string): Promise<HeaderLookup> {
  const { esplora } = await import('@assay/node/bitcoin/esplora');
  const source = esplora({ url: address, timeoutMs: TIMEOUT_MS });
  return sourceLookup(source, 'explorer', EXPLORER_SPAN, `the word of ${new URL(address).host}`);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Asks a source for headers as they are wanted, `span` at once, and keeps what it said. */
export async function sourceLookup(
  source: HeaderSource,
  kind: HeaderLookup['kind'],
  span: number,
  description: string,
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
  const spans = new Map<number, Promise<readonly Uint8Array[]>>();
  return {
    kind,
    network: network.name,
    tip: { height, time: parseHeader(tip).time },
    async header(at) {
      const start = at - (at % span);
      const known = spans.get(start) ?? source.headers(start, span);
      spans.set(start, known);
      return (await known)[at - start];
    },
    description,
  };
}
