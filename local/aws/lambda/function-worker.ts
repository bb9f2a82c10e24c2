/**
 * The thread inside the stand-in for Lambda. It has its own environment, imports the bundle as Lambda's runtime does, and
 * handles events until its parent terminates it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { ContainerSettings, Invocation, Invoked } from './container.ts';
import { thrownPayload } from './function-error.ts';

const { bundle, timeoutMs } = workerData as ContainerSettings;
const { handler } = await import(bundle);
parentPort?.postMessage('ready');

parentPort?.on('message', async ({ key, requestId, event }: Invocation) => {
  const deadline = Date.now() + timeoutMs;
  const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) };
  let message: Invoked;
  try {
    message = { key, result: await handler(event, context) };
  } catch (error) {
    message = { key, error: thrownPayload(error) };
  }
  parentPort?.postMessage(message);
});
