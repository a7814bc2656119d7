import { parseHeader } from '@assay/core/bitcoin/header';
import { formatBits } from '@assay/core/bitcoin/work';
import { formatHex } from '@assay/core/bytes/hex';
import type { Clock } from '../../platform/clock.ts';
import type { DevelopmentBlock, DevelopmentChain } from './development-chain.ts';
import { type DevelopmentResponse, textResponse } from './development-request.ts';

export interface DevelopmentRpcOptions {
  readonly chain: DevelopmentChain;
  readonly now: Clock;
}

/** An error of JSON-RPC, with Bitcoin Core's numbers. */
class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const PARSE_ERROR = -32_700;
const INVALID_ADDRESS_OR_KEY = -5;
const INVALID_PARAMETER = -8;

/**
 * The part of Bitcoin Core's JSON-RPC that is about headers, over a development chain that is first advanced to
 * `now`: `getblockcount`, `getbestblockhash`, `getblockhash`, `getblockheader`, `getblockchaininfo`; one call
 * or a batch. No password is needed.
 */
export function developmentRpc({
  chain,
  now,
}: DevelopmentRpcOptions): (body: Uint8Array) => DevelopmentResponse {
  function call(method: unknown, params: readonly unknown[]): unknown {
    switch (method) {
      case 'getblockcount':
        return chain.tip.height;
      case 'getbestblockhash':
        return chain.tip.id;
      case 'getblockhash': {
        const block = chain.block(Number(params[0]));
        if (block === undefined) throw new RpcError(INVALID_PARAMETER, 'Block height out of range');
        return block.id;
      }
      case 'getblockheader': {
        const height = chain.heightOf(String(params[0]));
        const block = height === undefined ? undefined : chain.block(height);
        if (block === undefined) throw new RpcError(INVALID_ADDRESS_OR_KEY, 'Block not found');
        return params[1] === false ? formatHex(block.header) : described(block, chain);
      }
      case 'getblockchaininfo':
        return {
          chain: 'regtest',
          blocks: chain.tip.height,
          headers: chain.tip.height,
          bestblockhash: chain.tip.id,
          time: chain.tip.time,
          initialblockdownload: false,
          pruned: false,
        };
      default:
        throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
    }
  }

  function answer(request: unknown): object {
    const { id = null, method, params = [] } = (request ?? {}) as Readonly<Record<string, unknown>>;
    try {
      if (!Array.isArray(params)) throw new RpcError(INVALID_REQUEST, 'Params must be an array');
      return { result: call(method, params), error: null, id };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { result: null, error: { code: error.code, message: error.message }, id };
    }
  }

  return (body) => {
    let request: unknown;
    try {
      request = JSON.parse(Buffer.from(body).toString('utf8'));
    } catch {
      return jsonResponse(500, {
        result: null,
        error: { code: PARSE_ERROR, message: 'Parse error' },
        id: null,
      });
    }
    chain.advance(now());
    if (Array.isArray(request)) return jsonResponse(200, request.map(answer));
    const reply = answer(request);
    return jsonResponse('error' in reply && reply.error !== null ? 500 : 200, reply);
  };
}

/** A header with named fields, as far as they follow from the header. */
function described(block: DevelopmentBlock, chain: DevelopmentChain): object {
  const { version, merkleRoot, time, bits, nonce } = parseHeader(block.header);
  const previous = chain.block(block.height - 1);
  const next = chain.block(block.height + 1);
  return {
    hash: block.id,
    confirmations: chain.tip.height - block.height + 1,
    height: block.height,
    version,
    versionHex: formatBits(version),
    merkleroot: formatHex(merkleRoot.toReversed()),
    time,
    nonce,
    bits: formatBits(bits),
    ...(previous === undefined ? {} : { previousblockhash: previous.id }),
    ...(next === undefined ? {} : { nextblockhash: next.id }),
  };
}

function jsonResponse(status: number, value: unknown): DevelopmentResponse {
  const response = textResponse(status, `${JSON.stringify(value)}\n`);
  return { ...response, contentType: 'application/json' };
}
