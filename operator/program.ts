/** The command line, `issuer`. What a command does is in a file of its own; here are the ways in, and the exit code. */
import { type Command, CommanderError } from 'commander';
import { StrictCommand } from './command-line/option-values.ts';
import type { Outcome, Surroundings } from './command-line/shared-options.ts';
import { addDeployCommands } from './commands/deploy-commands.ts';
import { addIssuerCommands } from './commands/issuer-commands.ts';
import { inWords } from './operator-error.ts';

/** @returns the exit code: 0 done, 1 it failed or found something wrong, 2 wrong usage */
export async function runIssuer(args: readonly string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  const outcome: Outcome = { failed: false };
  const program = createProgram(surroundings);
  addIssuerCommands(program, surroundings);
  addDeployCommands(program, surroundings, outcome);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return outcome.failed ? 1 : 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // It has said what is wrong, or has shown the help that was asked for.
      return error.exitCode === 0 ? 0 : 2;
    }
    const { message, exitCode } = inWords(error, 'working');
    surroundings.complain(`${message}\n`);
    return exitCode;
  }
}

function createProgram({ print, complain }: Surroundings): Command {
  return new StrictCommand('issuer')
    .description('Shows what the issuer of keys is doing, and stops it.')
    .configureOutput({ writeOut: print, writeErr: complain })
    .showHelpAfterError('More: issuer --help, or issuer COMMAND --help')
    .exitOverride()
    .addHelpText(
      'after',
      `
Without --local, it is the stack on AWS, found by its outputs.
In a clone of the repository, npm run issuer -- COMMAND is issuer COMMAND.
Exit code: 0 done, 1 it failed or found something wrong, 2 wrong usage.`,
    );
}
