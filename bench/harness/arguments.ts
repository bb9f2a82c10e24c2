/** The arguments of `npm run bench`. */
import { parseArgs } from 'node:util';

export interface Wanted<PartName extends string> {
  /** Each once, in the order given; without any, all of them. */
  readonly parts: readonly PartName[];
  readonly json: boolean;
}

/** @returns an error whose message says what is wrong with them */
export function readArguments<PartName extends string>(
  args: string[],
  known: readonly PartName[],
): 'help' | Error | Wanted<PartName> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
    });
    const isKnown = (name: string): name is PartName => known.some((each) => each === name);
    const unknown = positionals.find((name) => !isKnown(name));
    if (unknown !== undefined) {
      return new Error(`There is no part ${unknown}. These are: ${known.join(', ')}`);
    }
    const named = [...new Set(positionals)].filter(isKnown);
    return values.help === true ? 'help' : { parts: named.length === 0 ? known : named, json: values.json };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
