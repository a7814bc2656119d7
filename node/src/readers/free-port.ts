import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Fault, messageOf } from '@assay/core/fault';
import type { ListenAddress } from '../http/transport.ts';

/**
 * The port of an address, or any free one for 0, as nobody has it now. Sockets that share a port could bind one that
 * another program shares, too, so whether it is free is asked without sharing. Throws `bad_config`.
 */
export async function freePort({ host, port }: ListenAddress): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    const taken = (server.address() as AddressInfo).port;
    server.close();
    await once(server, 'close');
    return taken;
  } catch (cause) {
    throw new Fault('bad_config', 'listen address', {
      expected: 'a free port of this machine',
      found: `${host} ${port}: ${messageOf(cause)}`,
      cause,
    });
  }
}
