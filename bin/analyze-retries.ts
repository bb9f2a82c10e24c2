#!/usr/bin/env node
/** `analyze-retries`, in the clone `npm run analyze --`: hands the arguments over, and ends with the exit code. */
import process, { argv, stderr, stdin, stdout } from 'node:process';

const interrupted = new AbortController();
if (argv.includes('--follow')) {
  // Its report is still to be written. Everything else ends at once.
  process.once('SIGINT', () => interrupted.abort());
  process.once('SIGTERM', () => interrupted.abort());
}

const { runAnalyzeRetries } = await import('../analyzer/cli/program.ts').catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    console.error('The command line needs a package that is not here. Install it:\n  npm i -D commander');
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
// A pipe that stays open must not keep the program.
stdin.destroy();
