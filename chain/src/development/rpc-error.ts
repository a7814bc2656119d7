import type { JsonObject } from './json.ts';

/** The error codes: those of JSON-RPC 2.0, section 5.1, and those of Solana's nodes. */
export const RPC_CODES = {
  parse_error: -32_700,
  invalid_request: -32_600,
  method_not_found: -32_601,
  invalid_params: -32_602,
  internal_error: -32_603,
  preflight_failure: -32_002,
  signature_failure: -32_003,
  block_not_available: -32_004,
  unsupported_version: -32_015,
  min_context_slot: -32_016,
} as const;

export type RpcCode = keyof typeof RPC_CODES;

/** An error answer of JSON-RPC. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcCode;
  readonly data: JsonObject | undefined;

  constructor(code: RpcCode, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The `error` member of a response. */
  toJson(): JsonObject {
    return { code: RPC_CODES[this.code], message: this.message, data: this.data };
  }
}

/** The error for an invalid argument. */
export function invalidParams(why: string): RpcError {
  return new RpcError('invalid_params', `Invalid params: ${why}`);
}
