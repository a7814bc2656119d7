import type { TestContext } from 'node:test';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { all, commands, nodes } from '../cli/fixture/all-commands.ts';
import { terminalWorld } from '../node/api/terminal-world.ts';
import { commandsPage } from './commands-page.ts';
import { configPage } from './config-page.ts';
import { errorsPage } from './errors-page.ts';
import { findingsPage } from './findings-page.ts';
import { indexPage } from './index-page.ts';
import { kindsPage } from './kinds-page.ts';
import { metricsPage } from './metrics-page.ts';
import { routesPage } from './routes-page.ts';

/** Every page of `docs/reference` by its name. The routes are those of a service that is started for it. */
export async function referencePages(
  t: Pick<TestContext, 'after'>,
): Promise<ReadonlyMap<string, string>> {
  const { base } = await terminalWorld(t as TestContext, 'node', 1);
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  return new Map([
    ['README.md', indexPage()],
    ['commands.md', commandsPage(all, nodes)],
    ['routes.md', routesPage(document)],
    ['errors.md', errorsPage(commands)],
    ['findings.md', findingsPage()],
    ['metrics.md', metricsPage()],
    ['config.md', configPage()],
    ['kinds.md', kindsPage()],
  ]);
}
