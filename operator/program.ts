/** The command line `issuer`: registers the commands and sets the exit code. Each command has a file of its own in commands/. */
import { type Command, CommanderError } from 'commander';
import { StrictCommand } from './command-line/option-values.ts';
import type { Outcome, Surroundings } from './command-line/shared-options.ts';
import { addDeployCommands } from './commands/deploy-commands.ts';
import { addIssuerCommands } from './commands/issuer-commands.ts';
import { toOperatorError } from './operator-error.ts';

/** @returns the exit code: 0 succeeded, 1 failed or found a problem, 2 invalid arguments */
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
      // Commander has already printed the error message, or the help.
      return error.exitCode === 0 ? 0 : 2;
    }
    const { message, exitCode } = toOperatorError(error, 'running the command');
    surroundings.printError(`${message}\n`);
    return exitCode;
  }
}

function createProgram({ print, printError }: Surroundings): Command {
  return new StrictCommand('issuer')
    .description('Show what an ephemeral key issuer is doing, pause it, block viewers, and check a deployment.')
    .configureOutput({ writeOut: print, writeErr: printError })
    .showHelpAfterError('Help: issuer --help, or issuer COMMAND --help')
    .exitOverride()
    .addHelpText(
      'after',
      `
Without --local, a command uses the stack on AWS and finds it by its outputs.
In a clone of the repository, run npm run issuer -- COMMAND instead of issuer COMMAND.
Exit code: 0 succeeded, 1 failed or found a problem, 2 invalid arguments.`,
    );
}
