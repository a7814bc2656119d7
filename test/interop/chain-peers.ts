// Solana software of others, for the interop tests of the development chain. What is not there is installed
// once into a folder of its own; nothing of it is a dependency of Assay.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';

const run = promisify(execFile);

const PEERS = join(ROOT, 'node_modules', '.cache', 'chain-peers');

/** Milliseconds of one try to install. */
const INSTALL_MS = 180_000;

interface Peer {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
}

/** Loads a module of a peer by its name. */
export type PeerImport = (module: string) => Promise<unknown>;

/** The library that venues still use. */
export function web3Peer(): Promise<PeerImport | undefined> {
  return peerOf({
    name: 'web3.js-1.99.0',
    dependencies: { '@solana/web3.js': '1.99.0' },
    overrides: {},
  });
}

/** The facilitator and the client of x402 for Solana, on the kit that Assay has. */
export function x402Peer(): Promise<PeerImport | undefined> {
  return peerOf({
    name: 'x402-2.27.0',
    dependencies: { '@x402/core': '2.27.0', '@x402/svm': '2.27.0', '@solana/kit': '8.4.0' },
    overrides: { '@solana/kit': '$@solana/kit' },
  });
}

/** The official client that pays where `fetch` is answered with 402. */
export function x402FetchPeer(): Promise<PeerImport | undefined> {
  return peerOf({
    name: 'x402-fetch-2.27.0',
    dependencies: { '@x402/fetch': '2.27.0' },
    overrides: {},
  });
}

/** The reader of program descriptions from which clients are generated, and its codecs. */
export function codamaPeer(): Promise<PeerImport | undefined> {
  return peerOf({
    name: 'codama-1.11.0',
    dependencies: {
      '@codama/dynamic-codecs': '1.2.0',
      '@codama/validators': '1.11.0',
      codama: '1.11.0',
    },
    overrides: {},
  });
}

/** Undefined after three tries: a registry may be busy for a moment, or not there. */
async function peerOf(peer: Peer): Promise<PeerImport | undefined> {
  const folder = join(PEERS, peer.name);
  for (let attempt = 1; !existsSync(folder) && attempt <= 3; attempt += 1) {
    await mkdir(PEERS, { recursive: true });
    const into = await mkdtemp(`${folder}-`);
    try {
      const { dependencies, overrides } = peer;
      await writeFile(
        join(into, 'package.json'),
        JSON.stringify({ private: true, dependencies, overrides }),
      );
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
      await run('npm', ['install', ...quiet], { cwd: into, timeout: INSTALL_MS });
      await rename(into, folder);
    } catch (error) {
      // Another test may have been faster.
      await rm(into, { recursive: true, force: true });
      if (existsSync(folder)) break;
      const [first = ''] = error instanceof Error ? error.message.split('\n') : [];
      console.error(`${peer.name}, try ${attempt}: ${first}`);
      await sleep(attempt * 2000);
    }
  }
  if (!existsSync(folder)) return undefined;
  const require = createRequire(join(folder, 'package.json'));
  return (module) => import(pathToFileURL(require.resolve(module)).href);
}
