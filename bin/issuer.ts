#!/usr/bin/env node
/** `issuer`, in the clone `npm run issuer --`: hands the arguments over, and ends with the exit code. */
import { hostname, userInfo } from 'node:os';
import process, { argv, cwd, stderr, stdout, versions } from 'node:process';

/** What the package asks nobody to install who has no use for the command line. */
const NEEDED = ['commander', 'cloudformation', 'cloudwatch-logs', 'dynamodb', 'lambda', 'ssm'].map((name) =>
  name === 'commander' ? name : `@aws-sdk/client-${name}`,
);

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
// `issuer watch | head`: who reads no further wants no more, and it is no fault.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
  interrupted.abort();
});

const { runIssuer } = await import('../operator/program.ts').catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    console.error(`The command line needs packages that are not here. Install them:\n  npm i -D ${NEEDED.join(' ')}`);
    process.exit(1);
  }
  throw error;
});

process.exitCode = await runIssuer(argv.slice(2), {
  print: (text) => stdout.write(text),
  complain: (text) => stderr.write(text),
  look: { pictures: stdout.isTTY, colours: stdout.isTTY && stdout.hasColors() },
  now: Date.now,
  user: user(),
  signal: interrupted.signal,
  folder: cwd(),
  nodeVersion: versions.node,
});

/** In a container, nobody may have a name. */
function user(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname();
  }
}
