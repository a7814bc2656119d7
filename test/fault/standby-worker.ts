// A writer of a log, or a standby of one, that is made to fail. What it does is said on standard output.
//
//     standby-worker.js writer CONFIG NAME [MS]    runs the node, and appends notes as long as it can, MS apart
//     standby-worker.js standby CONFIG NAME [MS]   follows, and is that writer once it has been promoted
//
// SIGUSR2 ends the appending, and nothing else.
//
//     listening PORT       the service answers
//     ack SEQ TEXT         an entry was acknowledged
//     head SIZE ROOT       a signed head was shown
//     stopped CODE         nothing is written now; CODE is the fault, and what caused it
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { hashHex } from '@assay/core/hash/hash';
import type { Ledger } from '@assay/node/ledger/ledger';
import { readConfig } from '@assay/node/production/config';
import { makeLogger } from '@assay/node/production/logger';
import { startFromConfig } from '@assay/node/production/production';
import { startStandby } from '@assay/node/standby/standby-service';

/** In one piece, and given to the system before anything else happens. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

function codesOf(error: unknown): string {
  const codes: string[] = [];
  for (let each = error, depth = 0; each instanceof Error && depth < 8; depth += 1) {
    codes.push(each instanceof Fault ? each.code : 'error');
    each = each.cause;
  }
  return codes.join(',');
}

const asked = { isQuiet: false };
process.on('SIGUSR2', () => {
  asked.isQuiet = true;
});

async function append(ledger: Ledger, name: string, pauseMs: number): Promise<void> {
  for (let i = 0; !asked.isQuiet; i += 1) {
    const text = `${name}-${i}`;
    try {
      const [receipt] = await ledger.write(() => [{ kind: 'note/1', body: { text } }]);
      if (receipt === undefined) throw new Error('no receipt');
      await ledger.whenPublished(receipt.seq + 1);
      tell(`ack ${receipt.seq} ${text}`);
      const { published } = ledger;
      if (published !== undefined) tell(`head ${published.size} ${hashHex(published.root)}`);
      if (pauseMs > 0) await sleep(pauseMs);
    } catch (error) {
      tell(`stopped ${codesOf(error)}`);
      await sleep(100);
    }
  }
}

const [mode, path = '', name = '', pause = '0'] = process.argv.slice(2);
try {
  const config = await readConfig(path, process.env);
  const log = makeLogger(config.log_level);
  if (mode === 'standby') {
    const standby = await startStandby(config, process.env, log);
    tell(`following ${standby.port}`);
    const { epoch, grounds } = await standby.promoted;
    tell(`promoted ${epoch} ${grounds.kind}`);
  }
  const node = await startFromConfig(config, process.env, log);
  tell(`listening ${node.port}`);
  if (!('ledger' in node)) throw new Error('it serves without its record');
  await append(node.ledger, name, Number(pause));
} catch (error) {
  tell(`ended ${codesOf(error)}`);
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
