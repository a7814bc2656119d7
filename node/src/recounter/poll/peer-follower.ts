import { messageOf } from '@assay/core/fault';
import { logRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import { withDeadline } from '../../platform/deadline.ts';
import type { Followed, LogMirror } from '../../mirror/log-mirror.ts';

export interface PeerFollowerParts {
  /** Copies of the other recounters' logs, by their addresses. */
  readonly peers: ReadonlyMap<string, Pick<LogMirror, 'follow' | 'shown'>>;
  /** How many milliseconds of real time a turn may take. */
  readonly turnMs?: number;
  /** Called with the result of each turn. */
  readonly onFollowed?: (url: string, followed: Followed) => Promise<void>;
  readonly onError: (url: string, reason: string) => void;
}

/** How many entries of a peer's log one turn copies; the next continues after them. */
export const PEER_TURN_ENTRIES = 4096;
/** The entries of one commit, so that a turn whose time is over keeps what it has committed. */
export const PEER_COMMIT_ENTRIES = 256;
const TURN_MS = 60_000;

/**
 * Follows the other recounters' logs, each in its own turns. A peer that is slow, or whose log has no end,
 * delays only itself.
 */
export class PeerFollower {
  readonly #parts: PeerFollowerParts;
  readonly #under = new Map<string, Promise<void>>();
  /** Peers that have had a turn. */
  readonly #had = new Set<string>();

  constructor(parts: PeerFollowerParts) {
    this.#parts = parts;
  }

  /** Begins a turn of each peer that has none under way. */
  begin(signal: AbortSignal): void {
    for (const [url, peer] of this.#parts.peers) {
      if (signal.aborted || this.#under.has(url)) continue;
      const turn = this.#turn(url, peer, signal).finally(() => {
        this.#had.add(url);
        this.#under.delete(url);
      });
      this.#under.set(url, turn);
    }
  }

  /** Resolves when the turns under way have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#under.values());
  }

  /**
   * The rows of the peers' logs by the keys of their statements, as far as they are followed; undefined while a
   * peer has had no turn since the start, so that no silence is reported before its statements are known.
   */
  get rows(): ReadonlyMap<string, ViewState> | undefined {
    const { peers } = this.#parts;
    if (this.#had.size < peers.size) return undefined;
    const rows = new Map<string, ViewState>();
    for (const { shown } of peers.values()) {
      const key = logRow(shown)?.report_key;
      if (key !== undefined) rows.set(key, shown);
    }
    return rows;
  }

  async #turn(url: string, peer: Pick<LogMirror, 'follow'>, stop: AbortSignal): Promise<void> {
    const { turnMs = TURN_MS, onError, onFollowed } = this.#parts;
    try {
      const followed = await withDeadline(turnMs, 'peer', (each) => peer.follow(each), stop);
      await onFollowed?.(url, followed);
    } catch (error) {
      if (!stop.aborted) onError(url, messageOf(error));
    }
  }
}
