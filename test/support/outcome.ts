/** The exit code and the output of a child process. */
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

export interface Outcome {
  /** null if a signal ended the process. */
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** Call it right after the start of the process: it collects the output from then on. */
export async function outcomeOf(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<Outcome> {
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, errors };
}
