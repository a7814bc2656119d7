import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ReleaseError } from './release-error.ts';

const run = promisify(execFile);

/** What is changed in a bill of materials that npm made (CycloneDX 1.5). */
interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
  components: { externalReferences: { url: string }[] }[];
}

/**
 * The bill of materials of a project that installs nothing but `tarballs`: what npm would bring today, without the moment and the
 * number of the bill's making. Throws `unreachable` where npm cannot find that out.
 */
export async function billOfMaterials(
  tarballs: readonly string[],
  version: string,
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'assay-bill-'));
  const npm = async (...args: readonly string[]): Promise<string> => {
    const options = [
      '--package-lock-only',
      '--omit-lockfile-registry-resolved',
      '--loglevel=error',
    ];
    const limits = { cwd: home, maxBuffer: 64 * 1024 * 1024 };
    return (await run('npm', [...args, ...options], limits)).stdout;
  };
  try {
    const project = { name: 'assay', version, private: true };
    await writeFile(join(home, 'package.json'), JSON.stringify(project));
    await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs);
    const bill = JSON.parse(await npm('sbom', '--sbom-format', 'cyclonedx')) as Bill;
    delete bill.serialNumber;
    delete bill.metadata.timestamp;
    bill.metadata.component.name = 'assay';
    for (const reference of bill.components.flatMap((each) => each.externalReferences)) {
      if (reference.url.startsWith('file:')) reference.url = basename(reference.url);
    }
    return `${JSON.stringify(bill, undefined, 2)}\n`;
  } catch (error) {
    const lines = ((error as { readonly stderr?: string }).stderr ?? String(error)).split('\n');
    const first = lines.find((line) => line.startsWith('npm error')) ?? lines[0] ?? '';
    throw new ReleaseError('unreachable', `the bill of materials: ${first}`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
