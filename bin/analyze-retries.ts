#!/usr/bin/env node
/** `analyze-retries` (in a clone, `npm run analyze --`): passes on the arguments and sets the exit code. */
import process, { argv, stderr, stdin, stdout } from 'node:process';

const interrupted = new AbortController();
if (argv.includes('--follow')) {
  // With --follow, the first signal writes the report. Without it, a signal ends the process at once.
  process.once('SIGINT', () => interrupted.abort());
  process.once('SIGTERM', () => interrupted.abort());
}

const { runAnalyzeRetries } = await import('../analyzer/cli/program.ts').catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    console.error('A package that the command line needs is not installed. Install it:\n  npm i -D commander');
    process.exit(1);
  }
  throw error;
});

process.exitCode = await runAnalyzeRetries(argv.slice(2), {
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
  now: Date.now,
});
// An open pipe on stdin would keep the process alive.
stdin.destroy();
