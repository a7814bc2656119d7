import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { headerHash, parseHeader } from '@assay/core/bitcoin/header';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import { mineHeader } from '@assay/node/dev/bitcoin/development-block';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** `count` headers after `before`, which stay in it; `salt` makes other blocks of the same times. */
export function mined(
  count: number,
  salt = 0,
  before: readonly Uint8Array[] = [DEVELOPMENT.genesis],
): readonly Uint8Array[] {
  const all = [...before];
  for (let i = 0; i < count; i += 1) {
    const last = all.at(-1) as Uint8Array;
    const root = new Uint8Array(32).fill(salt);
    all.push(mineHeader(headerHash(nodeSha256, last), root, parseHeader(last).time + 600));
  }
  return all;
}

/** A source over a list of headers from genesis on, which a test may exchange, and what it was asked. */
export class ListSource implements HeaderSource {
  readonly name: string;
  all: readonly Uint8Array[];
  readonly asked: (readonly [from: number, count: number])[] = [];
  /** Thrown by every call while set. */
  error: unknown;

  constructor(all: readonly Uint8Array[], name = 'list') {
    this.all = all;
    this.name = name;
  }

  async tip(): Promise<number> {
    if (this.error !== undefined) throw this.error;
    return this.all.length - 1;
  }

  async headers(from: number, count: number): Promise<readonly Uint8Array[]> {
    if (this.error !== undefined) throw this.error;
    this.asked.push([from, count]);
    return this.all.slice(from, from + count);
  }
}
