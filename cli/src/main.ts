import { readFile } from 'node:fs/promises';
import { messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import { dispatch, type Program } from './command/dispatch.ts';
import { EXIT } from './command/exit.ts';
import { ownCommands } from './command/own-commands.ts';
import { helpWidth, processTerminal } from './command/tty.ts';
import { COMMANDS, HEADINGS } from './commands.ts';

/** How many milliseconds background work may take to end after a command. */
const GRACE_MS = 200;

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

// Node's own exit code for an uncaught error, 1, would mean "findings".
process.on('uncaughtException', (error) => {
  process.stderr.write(`assay: ${printable(messageOf(error))}\n`);
  process.exit(EXIT.incomplete);
});
const program: Program = {
  table: { ...COMMANDS, ...ownCommands(() => program) },
  headings: HEADINGS,
  version,
  helpWidth: helpWidth(),
};
process.exitCode = await dispatch(program, process.argv.slice(2), processTerminal(), process.env);
// A command that could not be completed may have left a thread or a timer that would keep the process alive.
if (process.exitCode === EXIT.incomplete) setTimeout(() => process.exit(), GRACE_MS).unref();
