import { RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';
import { requestSessionKey } from '../../../web/client/index.ts';

/** Call it when the visitor presses the button, not before: each key counts. */
export async function talk(show: (sentence: string) => void): Promise<RealtimeSession | undefined> {
  const outcome = await requestSessionKey();
  if (outcome.kind !== 'key') {
    const sentence = outcome.kind === 'busy' ? undefined : outcome.detail;
    show(sentence ?? 'All lines are busy. Please try again in a minute.');
    return undefined;
  }
  // It sends its own settings when it connects, over those of session.json: what matters is said here again.
  const agent = new RealtimeAgent({ name: 'Guide', instructions: 'You are a friendly guide. Keep it short.' });
  const session = new RealtimeSession(agent, { model: outcome.model });
  await session.connect({ apiKey: outcome.value });
  return session;
}
