import { once } from 'node:events';
import { type AddressInfo, createServer, connect, type Socket } from 'node:net';

/** A link with a delay, in front of a port of this machine. */
export interface DelayedLink {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Passes on what comes from either side after `ms`, so that a question and its answer take twice as long. */
export async function delayedLink(to: number, ms: number): Promise<DelayedLink> {
  const sockets = new Set<Socket>();
  const pass = (from: Socket, into: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      setTimeout(() => into.writable && into.write(chunk), ms);
    });
    from.on('end', () => setTimeout(() => into.end(), ms));
    from.on('error', () => into.destroy());
    from.on('close', () => {
      sockets.delete(from);
      setTimeout(() => into.destroy(), 2 * ms);
    });
  };
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      sockets.add(socket);
    }
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
