import { readFile } from 'node:fs/promises';
import { messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import { dispatch, type Program } from './command/dispatch.ts';
import { EXIT } from './command/exit.ts';
import { ownCommands } from './command/own-commands.ts';
import { helpWidth, processTerminal } from './command/tty.ts';
import { COMMANDS, HEADINGS } from './commands.ts';

/** Milliseconds that what is under way behind a command has to end by itself. */
const GRACE_MS = 200;

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

// Node's own exit code for an error that nobody caught, 1, would say "findings".
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
// What could not be completed may have left something under way, a thread or a wait, that would hold the process.
if (process.exitCode === EXIT.incomplete) setTimeout(() => process.exit(), GRACE_MS).unref();
