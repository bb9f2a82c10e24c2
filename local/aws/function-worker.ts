/**
 * The thread inside the stand-in for Lambda. It has its own environment, imports the bundle as Lambda's runtime does, and
 * handles events until its parent terminates it.
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
