/**
 * What the stand-in replies. It understands nothing, so it follows rules, the first that applies:
 *
 *  1. The last item is the output of a function: it repeats the output.
 *  2. A tool is chosen, required, or named in the user's last words: it calls the function, with arguments made from its
 *     schema. Because of rule 1, a required tool is called once for each thing the user says.
 *  3. The user spoke: it says which beep that was, with the user's own voice.
 *  4. The user wrote: it repeats the text.
 *  5. Otherwise it says that it is here.
 */

import type { RealtimeFunctionTool } from 'openai/resources/realtime/realtime.js';
import type { StoredItem } from '../items/items.ts';
import type { Tool, ToolChoice } from '../session.ts';
import { sampleArguments } from './sample-arguments.ts';

export type Reply =
  | {
      readonly kind: 'message';
      readonly text: string;
      /** @default a tone */
      readonly voice?: Int16Array;
    }
  | { readonly kind: 'function_call'; readonly name: string; readonly arguments: string };

interface Prompt {
  readonly context: readonly StoredItem[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
}

export function replyTo({ context, tools, toolChoice }: Prompt): Reply {
  const last = context.at(-1);
  if (last?.item.type === 'function_call_output') {
    return { kind: 'message', text: `The function returned ${last.item.output}` };
  }
  const words = wordsIn(last);
  const tool = chosenTool(tools, toolChoice, words);
  if (tool !== undefined) {
    return { kind: 'function_call', name: tool.name ?? '', arguments: sampleArguments(tool.parameters) };
  }
  if (last?.beep !== undefined) {
    return { kind: 'message', text: `I heard beep ${last.beep.number}.`, voice: last.beep.samples };
  }
  return { kind: 'message', text: words === '' ? 'Yes, I am here.' : `You said: ${words}` };
}

function chosenTool(tools: readonly Tool[], choice: ToolChoice, words: string): RealtimeFunctionTool | undefined {
  const functions = tools.filter((tool): tool is RealtimeFunctionTool => tool.type === 'function');
  if (typeof choice === 'object') {
    return functions.find(({ name }) => name !== undefined && name === choice.name);
  }
  switch (choice) {
    case 'none':
      return undefined;
    case 'required':
      return functions[0];
    case 'auto':
      return functions.find(({ name = '' }) => name !== '' && words.toLowerCase().includes(name.toLowerCase()));
  }
}

/** What the user wrote, or an empty text. */
function wordsIn(stored: StoredItem | undefined): string {
  const item = stored?.item;
  return item?.type === 'message' && item.role === 'user'
    ? item.content
        .map(({ text }) => text ?? '')
        .join(' ')
        .trim()
    : '';
}
