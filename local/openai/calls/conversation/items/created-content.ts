/** The content of a message that a client creates: which parts each role may have, and what each part must contain. */

import { invalidValue, missingParameter, type Refusal } from '../../../api/errors.ts';
import { type AudioFormat, fromBase64 } from '../../audio-formats.ts';

type Part = Readonly<Record<string, unknown>>;

interface Content {
  /** Without the audio itself. */
  readonly parts: readonly Part[];
  readonly audio: ReadonlyMap<number, Int16Array>;
}

/**
 * The field that each kind of part must have. OpenAI "cannot populate assistant audio messages": it asks for the text of an
 * `output_audio` part (openai-agents-js#963).
 */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  system: { input_text: 'text' },
  user: { input_text: 'text', input_audio: 'audio', input_image: 'image_url' },
  assistant: { output_text: 'text', output_audio: 'text' },
};

/** @param path the path of the item */
export function contentOf(
  role: unknown,
  content: unknown,
  path: string,
  format: AudioFormat,
): Content | { readonly refusal: Refusal } {
  const kinds = typeof role === 'string' && Object.hasOwn(REQUIRED, role) ? REQUIRED[role] : undefined;
  if (kinds === undefined) {
    return { refusal: invalidValue(`${path}.role`, role, "'system', 'user', 'assistant'") };
  }
  const parts: Part[] = [];
  const audio = new Map<number, Int16Array>();
  for (const [index, part] of (Array.isArray(content) ? content : []).entries()) {
    const refusal = refusalOfPart(part, kinds, `${path}.content[${index}]`);
    if (refusal !== undefined) {
      return { refusal };
    }
    const { audio: bytes, ...rest }: Part = part;
    if (part.type !== 'input_audio') {
      parts.push(rest);
      continue;
    }
    const samples = fromBase64(String(bytes), format);
    if (samples === undefined) {
      return { refusal: invalidAudio(`${path}.content[${index}].audio`) };
    }
    parts.push({ ...rest, transcript: rest['transcript'] ?? null });
    audio.set(index, samples);
  }
  return { parts, audio };
}

/** OpenAI's message, whatever the format of the session is. */
export function invalidAudio(param: string): Refusal {
  const message = `Invalid '${param}'. Expected base64-encoded audio bytes (mono PCM16 at 24kHz) but got an invalid value.`;
  return { message, param, code: 'invalid_value' };
}

function refusalOfPart(part: unknown, kinds: Readonly<Record<string, string>>, path: string): Refusal | undefined {
  const fields: Part = typeof part === 'object' ? { ...part } : {};
  const type = fields['type'];
  if (type === undefined) {
    return missingParameter(`${path}.type`);
  }
  const required = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (required === undefined) {
    const supported = Object.keys(kinds).map((kind) => `'${kind}'`);
    return invalidValue(`${path}.type`, type, supported.join(', '));
  }
  return typeof fields[required] === 'string' ? undefined : missingParameter(`${path}.${required}`);
}
