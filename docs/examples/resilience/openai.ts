import OpenAI from 'openai';
import { retry, startStream } from '../../../resilience/index.ts';

/** Turns off the package's own retries: three attempts inside each of five attempts would be fifteen. */
export function connect(baseURL?: string): OpenAI {
  return new OpenAI({ baseURL, maxRetries: 0 });
}

export async function ask(openai: OpenAI, input: string): Promise<string> {
  const response = await retry(({ signal }) => openai.responses.create({ model: 'gpt-5-mini', input }, { signal }), {
    attemptTimeoutMs: 30_000,
    deadlineMs: 90_000,
  });
  return response.output_text;
}

export async function* listen(openai: OpenAI, input: string): AsyncGenerator<string> {
  const body = { model: 'gpt-5-mini', input, stream: true } as const;
  const events = await retry(({ signal: attempt }) =>
    startStream((signal) => openai.responses.create(body, { signal }), { signal: attempt, firstChunkMs: 8_000 }),
  );
  for await (const event of events) {
    if (event.type === 'response.output_text.delta') {
      yield event.delta;
    }
  }
}
