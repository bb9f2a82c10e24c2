/**
 * Runs once per test run: builds what the tests run against, and starts one DynamoDB for all of them. Each test file creates its
 * own tables in it.
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
    /** A temporary folder that is deleted after the run. */
    folder: string;
  }
}

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'issuer-tests-'));
  speedUpProcesses(folder);
  await Promise.all([buildFunctions(), buildPage(PAGE_FOLDER)]);
  const { engine, endpoint, close } = await startDynamoDb();
  if (engine === 'dynalite') {
    const warning = 'Java 17 or later was not found: tests that need DynamoDB Local are skipped.';
    if (env['CI']) {
      await close();
      throw new Error(`${warning} In CI this is an error. Install Java.`);
    }
    console.warn(warning);
  }
  provide('dynamodb', { engine, endpoint });
  provide('folder', folder);
  return async () => {
    await close();
    // A worker that ends at the same time still writes to the compile cache.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}

/**
 * Workers and their child processes live for seconds, and spend half of that time on compiling. Node processes therefore share a
 * compile cache, and Java uses only its first compiler instead of optimising for a run of hours.
 */
function speedUpProcesses(folder: string): void {
  env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  env['JDK_JAVA_OPTIONS'] ??= '-XX:TieredStopAtLevel=1';
}
