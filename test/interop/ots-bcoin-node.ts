import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '../src/core/fixture/fixture.ts';

interface Reply {
  readonly id: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

/** bcoin in a process of its own, regtest, with its JSON-RPC on loopback. */
export interface BcoinNode {
  readonly url: string;
  /** The Authorization header that it asks for. */
  readonly authorization: string;
  /** Mines so many blocks; the height that comes of it. */
  readonly mine: (blocks: number) => Promise<number>;
  /** Puts a transaction with these bytes in an output into the memory pool. */
  readonly commit: (bytes: Uint8Array) => Promise<void>;
  /** Sends the same transaction once more: bcoin drops one that a reorganisation took out of its block. */
  readonly commitAgain: () => Promise<void>;
  /** The block at a height, hex, as it goes over the network. */
  readonly block: (height: number) => Promise<string>;
  /** Mines so many blocks on top of the one at `from`; how often the chain was reorganised so far. */
  readonly fork: (from: number, blocks: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Starts it from the package in `folder`. */
export async function startBcoin(folder: string): Promise<BcoinNode> {
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const program = join(ROOT, 'test', 'interop', 'ots-bcoin.cjs');
  const child: ChildProcess = fork(program, [folder, String(port), password], { execArgv: [] });
  const waiting = new Map<number, (reply: Reply) => void>();
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply));
  child.on('exit', (code) => {
    for (const [id, done] of waiting) done({ id, error: `bcoin ended with ${code}` });
  });
  const answerTo = async (id: number): Promise<Readonly<Record<string, unknown>>> => {
    const reply = await new Promise<Reply>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
    if (reply.result === undefined) throw new Error(reply.error);
    return reply.result;
  };
  let last = 0;
  const ask = (asked: object): Promise<Readonly<Record<string, unknown>>> => {
    last += 1;
    const answer = answerTo(last);
    child.send({ id: last, asked });
    return answer;
  };
  await answerTo(0);
  return {
    url: `http://127.0.0.1:${port}/`,
    authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}`,
    mine: async (blocks) => Number((await ask({ mine: blocks }))['height']),
    commit: async (bytes) => {
      await ask({ commit: Buffer.from(bytes).toString('hex') });
    },
    commitAgain: async () => {
      await ask({ again: true });
    },
    block: async (height) => String((await ask({ block: height }))['hex']),
    fork: async (from, blocks) => Number((await ask({ fork: { from, blocks } }))['reorganised']),
    close: async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}

/** A port that was free a moment ago: bcoin does not say which one it took. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
