import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Fault } from '@assay/core/fault';
import { IMMUTABLE } from '../http/reply.ts';
import { type Representation, representation } from '../http/representation.ts';

const CSS_TYPE = 'text/css; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** The files that the pages load. `node/browser/bundle.js` makes them. */
export type AssetName =
  | 'page.css'
  | 'zoom.css'
  | 'page.js'
  | 'docs.js'
  | 'arena.js'
  | 'seal.js'
  | 'scores.js'
  | 'zoom.js'
  | 'verify-page.js'
  | 'verify-box.js'
  | 'verdict-view.js'
  | VerifierAsset;

/** The files that are the verifier: what they say is believed. `curve.js` is what one of them loads where a log needs it. */
export type VerifierAsset =
  | 'verify-worker.js'
  | 'number-worker.js'
  | 'log-worker.js'
  | 'curve.js'
  | 'assay-number.js';

export const VERIFIER_ASSETS: readonly VerifierAsset[] = [
  'verify-worker.js',
  'number-worker.js',
  'log-worker.js',
  'curve.js',
  'assay-number.js',
];

/** The files that a reader has to trust for a verdict on a page: the verifier, and what starts it and shows what it says. */
export const VERDICT_ASSETS: readonly AssetName[] = [
  ...VERIFIER_ASSETS,
  'page.js',
  'verify-page.js',
  'verify-box.js',
  'verdict-view.js',
];

const ASSET_TYPES: Readonly<Record<AssetName, string>> = {
  'page.css': CSS_TYPE,
  'zoom.css': CSS_TYPE,
  'page.js': SCRIPT_TYPE,
  'docs.js': SCRIPT_TYPE,
  'arena.js': SCRIPT_TYPE,
  'seal.js': SCRIPT_TYPE,
  'scores.js': SCRIPT_TYPE,
  'zoom.js': SCRIPT_TYPE,
  'verify-worker.js': SCRIPT_TYPE,
  'number-worker.js': SCRIPT_TYPE,
  'log-worker.js': SCRIPT_TYPE,
  'curve.js': SCRIPT_TYPE,
  'assay-number.js': SCRIPT_TYPE,
  'verify-page.js': SCRIPT_TYPE,
  'verify-box.js': SCRIPT_TYPE,
  'verdict-view.js': SCRIPT_TYPE,
};

/** Where pages and their workers may read: this server, and the log on another where `log` is its origin. */
export function readable(log: string | null): string {
  return `connect-src 'self'${log === null ? '' : ` ${log}`}`;
}

/**
 * The policies of workers. A worker does not have that of its page: a browser holds it to the policy that comes with its
 * own code (Content Security Policy 3, 4.2.2). One that checks what somebody chose can ask nobody for anything.
 */
const WORKER_POLICIES: Partial<Record<AssetName, (log: string | null) => string>> = {
  'verify-worker.js': () => "default-src 'none'",
  'number-worker.js': (log) => `default-src 'none'; ${readable(log)}`,
  'log-worker.js': (log) => `default-src 'none'; script-src 'self'; ${readable(log)}`,
};

/** A file that the pages load. */
export interface Asset {
  /** Its path, which names its content, so that a browser never has to ask for it again. */
  readonly path: string;
  /** The SHA-256 of its bytes, in hex. */
  readonly sha256: string;
  readonly representation: Representation;
}

/** Where the bundles are, from `node/dist/page`. */
const FOLDER = new URL('../browser/', import.meta.url);

/** The files of the pages, each read when it is first asked for. */
export class Assets {
  readonly #folder: URL;
  readonly #log: string | null;
  readonly #read = new Map<AssetName, Asset>();

  /** `log` is the origin of a log on another server, which workers may read; null where they read this server alone. */
  constructor(folder: URL = FOLDER, log: string | null = null) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Throws Fault `not_found` where the bundles were not built. */
  get(name: AssetName): Asset {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const asset = assetOf(name, this.#bytes(name), this.#log);
    this.#read.set(name, asset);
    return asset;
  }

  /** The file at a path that an asset had, if its content is still that. */
  at(hash: string, name: string): Asset | undefined {
    if (!Object.hasOwn(ASSET_TYPES, name)) return undefined;
    const asset = this.get(name as AssetName);
    return asset.sha256.startsWith(hash) && hash.length === SHORT ? asset : undefined;
  }

  #bytes(name: AssetName): Uint8Array {
    try {
      return readFileSync(new URL(name, this.#folder));
    } catch (cause) {
      throw new Fault('not_found', 'the code of the pages is not built: run npm run build', {
        at: fileURLToPath(new URL(name, this.#folder)),
        cause,
      });
    }
  }
}

/** The hex digits of the hash that stand in a path. */
const SHORT = 16;

function assetOf(name: AssetName, body: Uint8Array, log: string | null): Asset {
  const policy = WORKER_POLICIES[name]?.(log);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return {
    path: `/assets/${sha256.slice(0, SHORT)}/${name}`,
    sha256,
    representation: representation({
      contentType: ASSET_TYPES[name],
      body,
      cacheControl: IMMUTABLE,
      headers: [
        // A page of somebody else may load the element that shows a number, and nothing more.
        [
          'cross-origin-resource-policy',
          name === 'assay-number.js' ? 'cross-origin' : 'same-origin',
        ],
        ...(policy === undefined ? [] : [['content-security-policy', policy] as const]),
      ],
    }),
  };
}
