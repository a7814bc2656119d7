import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** What a cut does: packets vanish, or connections are reset and new ones refused. */
export type Cut = 'silent' | 'refused';

/** One connection through a link, and whether either of its ends has ended while the link was cut. */
interface Pair {
  readonly from: Socket;
  to: Socket | undefined;
  isOver: boolean;
}

/**
 * A way from one process to another over TCP, which can be cut. What was under way in a silent cut arrives after it, as a
 * network sends it again; whoever has given up meanwhile has closed his end only.
 */
export class Link {
  readonly name: string;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #target: number;
  #cut: Cut | undefined;

  private constructor(name: string, target: number) {
    this.name = name;
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  /** A link to a port of loopback. */
  static async to(name: string, target: number): Promise<Link> {
    const link = new Link(name, target);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get port(): number {
    const address = this.#server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  /** New connections go to another port. Those that there are stay. */
  aim(target: number): void {
    this.#target = target;
  }

  cut(how: Cut): void {
    this.#cut = how;
    for (const pair of this.#pairs) {
      if (how === 'refused') this.#end(pair);
      else hold(pair);
    }
  }

  heal(): void {
    this.#cut = undefined;
    for (const pair of this.#pairs) {
      if (pair.isOver) this.#end(pair);
      else this.#flow(pair);
    }
  }

  close(): void {
    for (const pair of this.#pairs) this.#end(pair);
    this.#server.close();
  }

  #accept(from: Socket): void {
    const pair: Pair = { from, to: undefined, isOver: false };
    from.setNoDelay(true);
    this.#watch(pair, from);
    this.#pairs.add(pair);
    if (this.#cut === 'refused') this.#end(pair);
    else if (this.#cut === 'silent') hold(pair);
    else this.#flow(pair);
  }

  #flow(pair: Pair): void {
    if (pair.to === undefined) {
      pair.to = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true });
      pair.to.setNoDelay(true);
      this.#watch(pair, pair.to);
    }
    pair.from.pipe(pair.to);
    pair.to.pipe(pair.from);
  }

  /** An end that is gone takes the other one with it, unless the link is cut: then nobody hears of it. */
  #watch(pair: Pair, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      pair.isOver = true;
      if (this.#cut === undefined) this.#end(pair);
    });
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.from.destroy();
    pair.to?.destroy();
  }
}

function hold({ from, to }: Pair): void {
  if (to !== undefined) {
    from.unpipe(to);
    to.unpipe(from);
    to.pause();
  }
  from.pause();
}
