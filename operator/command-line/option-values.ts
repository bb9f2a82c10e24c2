/**
 * Decides which words after an option are its values. If an option has an optional value, or several values, Commander takes
 * the next words as values: `block --local 203.0.113.9` would look for a local stack at the port "203.0.113.9", and have no
 * viewer to block. Here such an option declares the form of its values, and every other word is an argument of the command.
 * POSIX does not allow such options (Utility Syntax Guidelines 7 and 8). They are unambiguous if no argument has that form.
 */
import { Command, Option } from 'commander';

interface Values {
  /** Matches every value, and no argument of any command. */
  readonly form: RegExp;
  /** The value if the option is given without one. Set only if its value is optional. */
  readonly bare?: string;
}

/** `--local [PORT]` or `--message <WORDS...>`. An option that requires a value takes the first word in any form. */
export class OptionWithForm extends Option {
  readonly values: Values;

  constructor(flags: string, description: string, values: Values) {
    super(flags, description);
    this.values = values;
  }
}

/** A command whose options take only the values that match their form. */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  /** @throws TypeError if the option has an optional value, or several values, and no form */
  override addOption(option: Option): this {
    if ((option.optional || option.variadic) && !(option instanceof OptionWithForm)) {
      throw new TypeError(
        `${option.flags} has an optional value, or several values: use OptionWithForm to declare their form.`,
      );
    }
    return super.addOption(option);
  }

  override parseOptions(args: string[]) {
    return super.parseOptions(withJoinedValues(args, this.options));
  }
}

/** Turns `--message a=1 b=2 c` into `--message=a=1 --message=b=2 c`, if `c` does not match the form. */
function withJoinedValues(args: readonly string[], options: readonly Option[]): string[] {
  const left = [...args];
  const done: string[] = [];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const option = options.find(({ long }) => long === arg);
    if (arg === '--') {
      return [...done, arg, ...left];
    }
    const values = option instanceof OptionWithForm ? takeValues(left, option) : [];
    done.push(...(values.length === 0 ? [arg] : values.map((value) => `${arg}=${value}`)));
  }
  return done;
}

function takeValues(left: string[], { required, variadic, values: { form, bare } }: OptionWithForm): string[] {
  const taken = required ? left.splice(0, 1) : [];
  const most = variadic ? left.length : 1;
  const other = left.findIndex((arg, index) => index === most || !form.test(arg));
  taken.push(...left.splice(0, other === -1 ? most : other));
  return taken.length === 0 && bare !== undefined ? [bare] : taken;
}
