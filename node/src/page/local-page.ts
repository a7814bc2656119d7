import { randomBytes } from 'node:crypto';
import { BROWSER_REPLIES } from '../api/document/browser-replies.ts';
import { nodeServer } from '../http/node-server.ts';
import { pipeline } from '../http/pipeline.ts';
import { requestIds } from '../http/request-id.ts';
import { systemClock } from '../platform/clock.ts';
import { CardGallery } from './card-gallery.ts';
import { Assets } from './asset.ts';
import { withPages } from './page-routes.ts';
import { verifyPage } from './view/verify.ts';

export interface LocalPageOptions {
  /** The port on 127.0.0.1; 0 takes any free one. */
  readonly port: number;
  /** The address of the log that the page may read, without a slash at its end; null for a page that checks files alone. */
  readonly url: string | null;
  /** Called with what a handler threw. */
  readonly onError: (error: unknown) => void;
}

export interface LocalPage {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Serves the page that verifies from the visitor's own machine, so that the code and the data come from different hands.
 * The page reads the log from its own server, which lets every page do that, and its policy names that one server.
 * Throws `bad_config` if the port cannot be used, and `not_found` where the code of the pages is not built.
 */
export async function startLocalPage({ port, url, onError }: LocalPageOptions): Promise<LocalPage> {
  const log = url === null ? null : new URL(url).origin;
  const page = verifyPage({ servedBy: 'visitor', url });
  const assets = new Assets(undefined, log);
  // Better now than for the first visitor.
  assets.get('verify-page.js');
  const { routes, lost } = withPages([], [page, { ...page, path: '/' }], {
    assets,
    publicUrl: null,
    notice: null,
    now: systemClock,
    version: () => '',
    network: () => null,
    cards: new CardGallery(),
    alone: { log },
  });
  const served = pipeline(routes, {
    ...requestIds(randomBytes),
    now: () => performance.now() / 1000,
    onError,
    asides: BROWSER_REPLIES,
    lost,
  });
  const listening = await nodeServer(served).listen({ host: '127.0.0.1', port });
  return { port: listening.port, close: () => listening.close() };
}
