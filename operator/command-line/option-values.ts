/**
 * Which of the words after an option are its own. Commander gives an option that may have a value, or several, whatever comes
 * next: `block --local 203.0.113.9` would look for a local stack at a port of that name, and have nobody to block. Here such an
 * option says what its values look like, and all else is an argument of the command. POSIX gives options no such values
 * (Utility Syntax Guidelines 7 and 8); with a form that no argument has, they are as unambiguous as others.
 */
import { Command, Option } from 'commander';

interface Values {
  /** What a value looks like, and no argument of any command. */
  readonly form: RegExp;
  /** What the option stands for without a value, where it may be without. */
  readonly bare?: string;
}

/** `--local [PORT]` or `--message <WORDS...>`. Of several values, the first is taken as it is: without one it makes no sense. */
export class OptionWithForm extends Option {
  readonly values: Values;

  constructor(flags: string, description: string, values: Values) {
    super(flags, description);
    this.values = values;
  }
}

/** A command whose options take the values that have their form, and no others. */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  /** Any other option of that kind would take what is not its own. */
  override addOption(option: Option): this {
    if ((option.optional || option.variadic) && !(option instanceof OptionWithForm)) {
      throw new TypeError(`${option.flags} may have a value, or several, and has to say what they look like.`);
    }
    return super.addOption(option);
  }

  override parseOptions(args: string[]) {
    return super.parseOptions(tied(args, this.options));
  }
}

/** `--message a=1 b=2 c` as `--message=a=1 --message=b=2 c`, where `c` does not have the form. */
function tied(args: readonly string[], options: readonly Option[]): string[] {
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
