import { resolve } from 'node:path';
import { keyHandle } from '@assay/core/arena/forecast/handle';
import { formatHex } from '@assay/core/bytes/hex';
import { createKey } from '@assay/node/key/keystore';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { command, type Command } from '../command/command.ts';
import { EXIT } from '../command/exit.ts';

export const keyCommand: Command = command({
  name: 'forecast key',
  summary: 'Make the key of a handle.',
  about: `Makes an Ed25519 key for a handle. With a key, each forecast is signed on this machine, and the operator can neither invent nor replace one.

    Keep a copy of the file: who loses it cannot forecast under the handle again.`,
  operands: { file: { value: 'FILE', about: 'The key file to write. Its folder is private.' } },
  options: {},
  variables: { ASSAY_PASSPHRASE: 'Locks the file. Without it the key is stored in the clear.' },
  examples: { 'assay forecast key keys/ada.json': 'Make a key.' },
  run: async ({ file }, terminal, environment) => {
    const path = resolve(file);
    const { publicKey } = await createKey(path, { passphrase: environment['ASSAY_PASSPHRASE'] });
    terminal.out(`key     ${formatHex(publicKey)}`);
    terminal.out(`handle  ${keyHandle(nodeSha256, publicKey)}`);
    terminal.out(`file    ${path}`);
    return EXIT.ok;
  },
});
