import { RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';
import { requestSessionKey } from '../../../web/client/index.ts';

/** Call this only when the visitor presses the button: each key counts against the limits. */
export async function talk(show: (message: string) => void): Promise<RealtimeSession | undefined> {
  const outcome = await requestSessionKey();
  if (outcome.kind !== 'key') {
    const message = outcome.kind === 'busy' ? undefined : outcome.detail;
    show(message ?? 'All lines are busy. Please try again in a minute.');
    return undefined;
  }
  // When this library connects, it replaces the settings of session.json with its own. Repeat the ones that you need.
  const agent = new RealtimeAgent({ name: 'Guide', instructions: 'You are a friendly guide. Keep it short.' });
  const session = new RealtimeSession(agent, { model: outcome.model });
  await session.connect({ apiKey: outcome.value });
  return session;
}
