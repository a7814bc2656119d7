import { createServer, type IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import { blockId, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { parseProof, type Proof } from '@assay/core/ots/proof';
import { DevelopmentChain } from '@assay/node/bitcoin/development/development-chain';
import { startDevelopmentServer } from '@assay/node/bitcoin/development/development-server';
import { nodeSha256 } from '@assay/node/node-sha256';
import { readFile } from 'node:fs/promises';
import { assay, listen, type Ran } from './run.ts';

/** 2026-01-01: blocks of the world are old, so that its words do not depend on when the test runs. */
const START = 1_767_225_600;
const BLOCK_S = 600;

export interface StampWorld {
  readonly chain: DevelopmentChain;
  /** Addresses of two calendars. */
  readonly calendars: readonly [string, string];
  readonly rpc: string;
  /** Options that stamp at both. */
  readonly pool: readonly string[];
  /** Options that upgrade at both. */
  readonly attestors: readonly string[];
  /** Lets time pass until so many blocks have come. */
  readonly mine: (blocks: number) => void;
}

/** A development chain with two calendars and its JSON-RPC, on this machine. */
export async function stampWorld(t: TestContext): Promise<StampWorld> {
  const chain = new DevelopmentChain({ blockSeconds: BLOCK_S });
  let time = START;
  const server = await startDevelopmentServer({
    chain,
    now: () => time,
    calendars: [
      { name: 'alice', port: 0 },
      { name: 'bob', port: 0 },
    ],
  });
  t.after(() => server.close());
  chain.advance(time);
  const calendars = server.calendars as readonly [string, string];
  return {
    chain,
    calendars,
    rpc: server.rpc,
    pool: calendars.flatMap((uri) => ['--calendar', uri]),
    attestors: calendars.flatMap((uri) => ['--attestor', uri]),
    mine(blocks) {
      time += blocks * BLOCK_S;
      chain.advance(time);
    },
  };
}

export async function readProof(path: string): Promise<Proof> {
  return parseProof(new Uint8Array(await readFile(path)));
}

/** What a command wrote, with the addresses of this run by name. */
export function named(ran: Ran, names: Readonly<Record<string, string>>): Ran {
  const rename = (text: string): string =>
    Object.entries(names).reduce((all, [name, found]) => all.replaceAll(found, name), text);
  return { code: ran.code, out: rename(ran.out), err: rename(ran.err) };
}

/** Runs a command in the world; `ALICE` and `BOB` stand for the calendars in what it wrote. */
export async function inWorld(
  world: StampWorld,
  folder: string,
  args: readonly string[],
): Promise<Ran> {
  const [alice, bob] = world.calendars;
  return named(await assay(folder, args), { ALICE: alice, BOB: bob });
}

/** An explorer with these headers by height (80 bytes in hex). */
export async function explorer(
  t: TestContext,
  headers: ReadonlyMap<number, string>,
  tip: number,
  seen: string[] = [],
): Promise<string> {
  const byId = new Map<string, string>();
  const ids = new Map<number, string>();
  for (const [height, hex] of headers) {
    const bytes = new Uint8Array(Buffer.from(hex, 'hex'));
    parseHeader(bytes);
    const id = blockId(headerHash(nodeSha256, bytes) as never);
    byId.set(id, hex);
    ids.set(height, id);
  }
  return listen(
    t,
    createServer((request: IncomingMessage, response) => {
      const path = request.url ?? '';
      seen.push(path);
      const height = /^\/block-height\/([0-9]+)$/.exec(path)?.[1];
      const block = /^\/block\/([0-9a-f]{64})\/header$/.exec(path)?.[1];
      let answer: string | undefined;
      if (path === '/blocks/tip/height') answer = `${tip}`;
      else if (height !== undefined) answer = ids.get(Number(height));
      else if (block !== undefined) answer = byId.get(block);
      response.writeHead(answer === undefined ? 404 : 200).end(answer ?? 'Block not found');
    }),
  );
}
