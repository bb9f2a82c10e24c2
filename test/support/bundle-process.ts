/**
 * Runs the function's bundle in its own process. It makes the given number of calls, eight at a time, and sends the statuses to
 * its parent process.
 */
import { argv, exit } from 'node:process';

const AT_ONCE = 8;

const [, , bundle = '', calls = '1'] = argv;
const { handler } = await import(bundle);
const event = {
  rawPath: '/session',
  requestContext: { http: { method: 'POST' } },
  headers: { 'cloudfront-viewer-address': '198.51.100.7:443' },
};

let left = Number(calls);
const statuses: number[] = [];
async function callUntilDone(): Promise<void> {
  while (left > 0) {
    left -= 1;
    statuses.push((await handler(event)).statusCode);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, callUntilDone));
process.send?.(statuses, () => exit(0));
