/**
 * Once per run: builds what the tests run against, and starts one DynamoDB for all of them. Each test file makes tables
 * of its own in it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { type DynamoDb, startDynamoDb } from '../../local/aws/dynamodb.ts';
import { buildFunctions } from '../../scripts/build-function.ts';
import { buildPage, PAGE_FOLDER } from '../../scripts/build-page.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamodb: Pick<DynamoDb, 'endpoint' | 'engine'>;
    /** For what is gone after the run. */
    folder: string;
  }
}

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'issuer-tests-'));
  hastenProcesses(folder);
  await Promise.all([buildFunctions(), buildPage(PAGE_FOLDER)]);
  const { engine, endpoint, close } = await startDynamoDb();
  if (engine === 'dynalite') {
    const sentence = 'There is no Java 17 or later here: tests that need DynamoDB Local are skipped.';
    if (env['CI']) {
      await close();
      throw new Error(`${sentence} In CI that is a failure; install Java.`);
    }
    console.warn(sentence);
  }
  provide('dynamodb', { engine, endpoint });
  provide('folder', folder);
  return async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  };
}

/**
 * Workers and what they start live for seconds, and spend half of them on compiling: what one Node has compiled is there
 * for the next, and Java, which would optimise for hours to come, is content with its first compiler.
 */
function hastenProcesses(folder: string): void {
  env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  env['JDK_JAVA_OPTIONS'] ??= '-XX:TieredStopAtLevel=1';
}
