/** Runs `issuer` in this process, as a shell would. */
import { join } from 'node:path';
import type { Surroundings } from '../../operator/command-line/shared-options.ts';
import { runIssuer } from '../../operator/program.ts';
import type { TestStack } from '../support/stack.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

export const ROOT = join(import.meta.dirname, '../..');

export async function issuer(args: readonly string[], surroundings: Partial<Surroundings> = {}): Promise<Ran> {
  let [out, errors] = ['', ''];
  const code = await runIssuer(args, {
    print: (text) => {
      out += text;
    },
    printError: (text) => {
      errors += text;
    },
    look: { pictures: false, colours: false },
    now: Date.now,
    user: 'ann@laptop',
    signal: new AbortController().signal,
    folder: ROOT,
    nodeVersion: '24.1.0',
    ...surroundings,
  });
  return { code, out, errors };
}

/** The option that selects a test's own stack. */
export function local({ addresses }: TestStack): string[] {
  return ['--local', new URL(addresses.url).port];
}
