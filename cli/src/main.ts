import { Fault, messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import { EXIT, type ExitCode, UsageError } from './command/exit.ts';
import { processTerminal, type Terminal } from './command/tty.ts';

/** Milliseconds that what is under way behind a command has to end by itself. */
const GRACE_MS = 200;

type Environment = Readonly<Record<string, string | undefined>>;
type Run = (
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
) => Promise<ExitCode>;

interface Command {
  readonly summary: string;
  /** Loads the command alone: an auditor's commands bring in nothing of the publisher's. */
  readonly load: () => Promise<{ readonly run: Run; readonly help: string }>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  verify: {
    summary: 'check a log at a URL, a folder, or one number in a file',
    load: async () => {
      const { verifyCommand: run, verifyHelp: help } = await import('./verify/verify.ts');
      return { run, help };
    },
  },
  watch: {
    summary: 'look at logs from several addresses, again and again',
    load: async () => {
      const { watchCommand: run, watchHelp: help } = await import('./watch/watch.ts');
      return { run, help };
    },
  },
  bundle: {
    summary: 'write one file that proves one number offline',
    load: async () => {
      const { bundleCommand: run, bundleHelp: help } = await import('./bundle/bundle.ts');
      return { run, help };
    },
  },
  evidence: {
    summary: 'check a file that proves somebody broke a promise',
    load: async () => {
      const { evidenceCommand: run, evidenceHelp: help } = await import('./evidence/evidence.ts');
      return { run, help };
    },
  },
  stamp: {
    summary: 'have calendars stamp files (OpenTimestamps)',
    load: async () => {
      const { stampCommand: run, stampHelp: help } = await import('./ots/stamp.ts');
      return { run, help };
    },
  },
  ots: {
    summary: 'read, verify and upgrade a stamp',
    load: async () => {
      const { otsCommand: run, otsHelp: help } = await import('./ots/ots.ts');
      return { run, help };
    },
  },
  headers: {
    summary: "fetch and check Bitcoin's block headers",
    load: async () => {
      const { headersCommand: run, headersHelp: help } = await import('./headers/headers.ts');
      return { run, help };
    },
  },
  chain: {
    summary: 'feeds on Solana: read, look after and deploy them',
    load: async () => {
      const { chainCommand: run, chainHelp: help } = await import('./chain/chain.ts');
      return { run, help };
    },
  },
  demo: {
    summary: 'run the development network on this machine',
    load: async () => {
      const { demoCommand: run, demoHelp: help } = await import('./operate/demo.ts');
      return { run, help };
    },
  },
  init: {
    summary: 'begin a log',
    load: async () => {
      const { initCommand: run, initHelp: help } = await import('./operate/init.ts');
      return { run, help };
    },
  },
  node: {
    summary: 'run a publisher',
    load: async () => {
      const { nodeCommand: run, nodeHelp: help } = await import('./operate/node.ts');
      return { run, help };
    },
  },
  recount: {
    summary: "recount a publisher's numbers, and be its witness and mirror",
    load: async () => {
      const { recountCommand: run, recountHelp: help } = await import('./operate/recount.ts');
      return { run, help };
    },
  },
  rules: {
    summary: 'check, try and freeze rules',
    load: async () => {
      const { rulesCommand: run, rulesHelp: help } = await import('./operate/rules.ts');
      return { run, help };
    },
  },
  correct: {
    summary: 'publish a correction of a final period',
    load: async () => {
      const { correctCommand: run, correctHelp: help } = await import('./operate/correct.ts');
      return { run, help };
    },
  },
  export: {
    summary: 'write a log as plain files for any static host',
    load: async () => {
      const { exportCommand: run, exportHelp: help } = await import('./data/export.ts');
      return { run, help };
    },
  },
  backup: {
    summary: 'copy what a publisher needs to go on elsewhere, while it runs',
    load: async () => {
      const { backupCommand: run, backupHelp: help } = await import('./data/backup.ts');
      return { run, help };
    },
  },
  restore: {
    summary: "bring a publisher's log back from others' copies",
    load: async () => {
      const { restoreCommand: run, restoreHelp: help } = await import('./data/restore.ts');
      return { run, help };
    },
  },
  replay: {
    summary: 'replay recorded markets into a log',
    load: async () => {
      const { replayCommand: run, replayHelp: help } = await import('./operate/replay.ts');
      return { run, help };
    },
  },
  receipts: {
    summary: "recompute a replay's events and receipts from its market files",
    load: async () => {
      const { receiptsCommand: run, receiptsHelp: help } = await import('./data/receipts.ts');
      return { run, help };
    },
  },
  rebuild: {
    summary: 'derive the views from the entries again',
    load: async () => {
      const { rebuildCommand: run, rebuildHelp: help } = await import('./data/rebuild.ts');
      return { run, help };
    },
  },
  keys: {
    summary: 'replace the report key: planned, or lost, or stolen',
    load: async () => {
      const { keysCommand: run, keysHelp: help } = await import('./operate/keys.ts');
      return { run, help };
    },
  },
  recover: {
    summary: 'put a ledger back to the head that its guard holds',
    load: async () => {
      const { recoverCommand: run, recoverHelp: help } = await import('./data/recover.ts');
      return { run, help };
    },
  },
};

function overview(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(10)}${summary}`,
  );
  return ['assay <command>', '', ...lines, '', 'assay <command> --help says more.'].join('\n');
}

/** Runs one command line; its exit code. Every error ends as words on standard error. */
async function main(
  argv: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const [name = '', ...args] = argv;
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.out(overview());
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    terminal.error(
      name === '' ? overview() : `assay: no command ${JSON.stringify(name)}\n\n${overview()}`,
    );
    return EXIT.usage;
  }
  const { run, help } = await command.load();
  if (args.includes('--help') || args.includes('-h')) {
    terminal.out(help);
    return EXIT.ok;
  }
  try {
    return await run(args, terminal, environment);
  } catch (error) {
    if (error instanceof UsageError || isParseArgsError(error)) {
      terminal.error(`assay ${name}: ${printable(messageOf(error))}\n\n${help}`);
      return EXIT.usage;
    }
    const code = error instanceof Fault ? ` [${error.code}]` : '';
    terminal.error(`assay ${name}: ${printable(messageOf(error))}${code}`);
    return error instanceof Fault && error.code === 'bad_config' ? EXIT.usage : EXIT.incomplete;
  }
}

function isParseArgsError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}

// Node's own exit code for an error that nobody caught, 1, would say "findings".
process.on('uncaughtException', (error) => {
  process.stderr.write(`assay: ${printable(messageOf(error))}\n`);
  process.exit(EXIT.incomplete);
});
process.exitCode = await main(process.argv.slice(2), processTerminal(), process.env);
// What could not be completed may have left something under way, a thread or a wait, that would hold the process.
if (process.exitCode === EXIT.incomplete) setTimeout(() => process.exit(), GRACE_MS).unref();
