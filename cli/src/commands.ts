import type { Table } from './command/command.ts';

/** The headings under which the help lists them, by the first command under each. */
export const HEADINGS: Readonly<Record<string, string>> = {
  verify: 'Check what others publish',
  stamp: 'Prove times and read chains',
  demo: 'Publish and recount numbers',
  export: 'Look after the data of a log',
  replay: 'Work with recorded markets',
  help: 'Learn about the commands',
};

/** Every command except those about commands, in the order in which the help lists them. */
export const COMMANDS: Table = {
  verify: async () => (await import('./verify/verify.ts')).verifyCommand,
  page: async () => (await import('./verify/page.ts')).pageCommand,
  watch: async () => (await import('./watch/watch.ts')).watchCommand,
  bundle: async () => (await import('./bundle/bundle.ts')).bundleCommand,
  evidence: async () => (await import('./evidence/evidence.ts')).evidenceCommand,
  forecast: async () => (await import('./forecast/forecast.ts')).forecastCommand,
  mcp: async () => (await import('./mcp/mcp.ts')).mcpCommand,
  release: async () => (await import('./release/release.ts')).releaseCommand,
  stamp: async () => (await import('./ots/stamp.ts')).stampCommand,
  ots: async () => (await import('./ots/ots.ts')).otsCommand,
  headers: async () => (await import('./headers/headers.ts')).headersCommand,
  chain: async () => (await import('./chain/chain.ts')).chainCommand,
  demo: async () => (await import('./operate/demo.ts')).demoCommand,
  init: async () => (await import('./operate/init.ts')).initCommand,
  node: async () => (await import('./operate/node.ts')).nodeCommand,
  promote: async () => (await import('./operate/promote.ts')).promoteCommand,
  serve: async () => (await import('./operate/serve.ts')).serveCommand,
  recount: async () => (await import('./operate/recount.ts')).recountCommand,
  rules: async () => (await import('./operate/rules.ts')).rulesCommand,
  correct: async () => (await import('./operate/correct.ts')).correctCommand,
  handles: async () => (await import('./operate/handles.ts')).handlesCommand,
  webhooks: async () => (await import('./operate/webhooks.ts')).webhooksCommand,
  tier: async () => (await import('./tier/tier.ts')).tierCommand,
  objects: async () => (await import('./operate/objects.ts')).objectsCommand,
  keys: async () => (await import('./operate/keys.ts')).keysCommand,
  signer: async () => (await import('./operate/signer.ts')).signerCommand,
  export: async () => (await import('./data/export.ts')).exportCommand,
  backup: async () => (await import('./data/backup.ts')).backupCommand,
  restore: async () => (await import('./data/restore.ts')).restoreCommand,
  rebuild: async () => (await import('./data/rebuild.ts')).rebuildCommand,
  recover: async () => (await import('./data/recover.ts')).recoverCommand,
  replay: async () => (await import('./operate/replay.ts')).replayCommand,
  receipts: async () => (await import('./data/receipts.ts')).receiptsCommand,
};
