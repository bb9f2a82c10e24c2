/** Runs `analyze-retries` in this process, as a shell would run it. */
import { PassThrough, Readable } from 'node:stream';
import { runAnalyzeRetries, type Surroundings } from '../../../analyzer/cli/program.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** @param stdin the data on standard input; none by default */
export async function analyzeRetries(
  args: readonly string[],
  stdin: string | Buffer = '',
  surroundings: Partial<Surroundings> = {},
): Promise<Ran> {
  const stdout = new PassThrough();
  const printed: Buffer[] = [];
  stdout.on('data', (bytes: Buffer) => printed.push(bytes));
  let errors = '';
  const code = await runAnalyzeRetries(args, {
    stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)], { objectMode: false }),
    stdout,
    stderr: {
      write: (text) => {
        errors += text;
      },
    },
    signal: new AbortController().signal,
    now: () => Date.UTC(2026, 10, 30),
    ...surroundings,
  });
  return { code, out: Buffer.concat(printed).toString(), errors };
}
