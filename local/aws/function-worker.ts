/**
 * The inside of the stand-in for Lambda: a thread with an environment of its own that imports the bundle, as Lambda's
 * runtime would, and answers events until its parent ends it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Invocation, Invoked } from './function.ts';

const { handler } = await import(workerData.bundle);
parentPort?.postMessage('ready');

parentPort?.on('message', async ({ id, event }: Invocation) => {
  let message: Invoked;
  try {
    message = { id, result: await handler(event, { awsRequestId: id }) };
  } catch (error) {
    message = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort?.postMessage(message);
});
