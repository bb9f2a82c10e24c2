/** What a program came to that runs as a shell would run it. */
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

export interface Outcome {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** Of one that has just been started: what it says is heard from now on. */
export async function outcomeOf(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<Outcome> {
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, errors };
}
