/** The arguments of `npm run bench`. */
import { parseArgs } from 'node:util';

export interface BenchOptions<PartName extends string> {
  /** Without duplicates, in the order of the command line. If none are named, all parts. */
  readonly parts: readonly PartName[];
  readonly json: boolean;
}

/** @returns an error with a message for the user if an argument is invalid */
export function readArguments<PartName extends string>(
  args: string[],
  known: readonly PartName[],
): 'help' | Error | BenchOptions<PartName> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
    });
    const isKnown = (name: string): name is PartName => known.some((each) => each === name);
    const unknown = positionals.find((name) => !isKnown(name));
    if (unknown !== undefined) {
      return new Error(`Unknown part ${JSON.stringify(unknown)}. Expected one of: ${known.join(', ')}`);
    }
    const named = [...new Set(positionals)].filter(isKnown);
    return values.help === true ? 'help' : { parts: named.length === 0 ? known : named, json: values.json };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
