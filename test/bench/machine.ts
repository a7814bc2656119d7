import { readFile, stat } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

/** What the figures were measured on: its size and kind, not its name. */
export async function describeMachine(): Promise<string> {
  const processors = cpus();
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  return [
    `${processors.length} cores of ${processors[0]?.model.trim() ?? 'an unknown processor'}`,
    `${gigabytes} GB of memory`,
    await describeDisk(),
    `Node ${process.versions.node}`,
    `${process.platform} ${process.arch}`,
  ].join(', ');
}

/** File system, kind of device and its write cache, of the folder that the benchmarks write to. */
async function describeDisk(): Promise<string> {
  const folder = await temporaryFolder('disk');
  try {
    const { dev } = await stat(folder);
    const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)];
    const mounts = await readFile('/proc/self/mountinfo', 'utf8');
    const line = mounts.split('\n').find((each) => each.split(' ')[2] === `${major}:${minor}`);
    const [type = 'an unknown file system'] = line?.split(' - ')[1]?.split(' ') ?? [];
    const device = `/sys/dev/block/${major}:${minor}`;
    const queue = async (name: string): Promise<string | undefined> => {
      for (const at of [device, `${device}/..`]) {
        const text = await readFile(`${at}/queue/${name}`, 'utf8').catch(() => undefined);
        if (text !== undefined) return text.trim();
      }
      return undefined;
    };
    const cache = await queue('write_cache');
    const event = await readFile(`${device}/uevent`, 'utf8').catch(() => '');
    const kind = /DEVNAME=vd/.test(event)
      ? 'a virtual disk'
      : (await queue('rotational')) === '0'
        ? 'a solid-state disk'
        : 'a disk';
    return `${type} on ${kind}${cache === undefined ? '' : ` with ${cache} cache`}`;
  } catch {
    return 'an unknown disk';
  } finally {
    await removeFolder(folder);
  }
}
