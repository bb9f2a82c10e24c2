import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { SAMPLE } from '../../analyzer/cli/sample-log.ts';
import { codeBlocks, importExample } from '../support/documentation.ts';

it('the program in docs/analyzer.md prints the clients with CRITICAL risk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'analyzer-'));
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    const log = join(folder, 'connections.ndjson.gz');
    const events = [...Array(4).fill(JSON.parse(SAMPLE)).flat(), 7];
    await writeFile(log, gzipSync(events.map((event) => JSON.stringify(event)).join('\n')));
    const [program = ''] = await codeBlocks('docs/analyzer.md', 'ts');
    await importExample('analyzer', program.replace("'connections.ndjson.gz'", JSON.stringify(log)));
    const [printed, ...rest] = print.mock.calls;
    expect(printed?.[0]).toContain('(threshold 20)');
    expect(rest).toEqual([
      ['192.0.2.10', expect.stringContaining('Retries about every 1,000 ms without jitter')],
      [[expect.objectContaining({ line: 29, complaint: 'is not an object' })]],
    ]);
  } finally {
    print.mockRestore();
    await rm(folder, { recursive: true });
  }
});
