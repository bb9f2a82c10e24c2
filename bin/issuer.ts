#!/usr/bin/env node
/** `issuer` (in a clone, `npm run issuer --`): passes on the arguments and sets the exit code. */
import { hostname, userInfo } from 'node:os';
import process, { argv, cwd, stderr, stdout, versions } from 'node:process';

/** Optional peer dependencies: only the command line needs them. */
const NEEDED = ['commander', 'acm', 'cloudformation', 'cloudwatch-logs', 'dynamodb', 'lambda', 'ssm'].map((name) =>
  name === 'commander' ? name : `@aws-sdk/client-${name}`,
);

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
// `issuer watch | head` closes the pipe: stop, and do not report an error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
  interrupted.abort();
});

const { runIssuer } = await import('../operator/program.ts').catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    console.error(
      `Packages that the command line needs are not installed. Install them:\n  npm i -D ${NEEDED.join(' ')}`,
    );
    process.exit(1);
  }
  throw error;
});

process.exitCode = await runIssuer(argv.slice(2), {
  print: (text) => stdout.write(text),
  printError: (text) => stderr.write(text),
  look: { pictures: stdout.isTTY, colours: stdout.isTTY && stdout.hasColors() },
  now: Date.now,
  user: user(),
  signal: interrupted.signal,
  folder: cwd(),
  nodeVersion: versions.node,
});

/** In a container, the user id may have no name. */
function user(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname();
  }
}
